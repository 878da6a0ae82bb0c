"""Reference policies of the gridworld; all but the walker break the protocol in their own way."""

import json
import sys
import time


def walk(observation: dict) -> dict:
    east, north = observation["goal_east"], observation["goal_north"]
    if east:
        return {"move": "east" if east > 0 else "west"}
    return {"move": "north" if north > 0 else "south"}


def main() -> None:
    name = sys.argv[1]
    assert sys.argv[2] == "--seed"
    ended = 0
    for line in sys.stdin:
        message = json.loads(line)
        assert "reward" not in message and "metadata" not in message.get("observation", {})
        if message["type"] == "end":
            ended += 1
            print(f"{ended} ended", file=sys.stderr)
            continue
        if name == "sleeper":
            time.sleep(60)
        if name == "dead":
            sys.exit("no fuel")
        if name == "mute":
            print("walking on", flush=True)
            continue
        episode = "elsewhere" if name == "liar" else message["episode"]
        print(json.dumps({"episode": episode, "action": walk(message["observation"])}), flush=True)


if __name__ == "__main__":
    main()
