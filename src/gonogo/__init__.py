"""Takes any OpenEnv environment from "it runs" to "an agent got measurably better in it"."""
