"""Server side of the Timetable environment."""
