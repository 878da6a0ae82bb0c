def cost(rooms, operations):
    total = 0.0
    for room in rooms:
        clock = end = 0
        for number in room:
            operation = operations[number]
            total += operation["urgency"] * clock / 60
            end = clock + operation["minutes"]
            clock = end + (50 if operation["septic"] else 15)
        total += 6 * max(0, end - 480) / 60
    return total


def policy(observation: dict, memory: dict) -> dict:
    """Makes the move that saves most, until none saves anything."""
    operations, rooms = observation["operations"], observation["rooms"]
    best, least = {"kind": "finish"}, cost(rooms, operations) - 1e-6
    for number in range(len(operations)):
        without = [[n for n in room if n != number] for room in rooms]
        for r, room in enumerate(without):
            for place in range(len(room) + 1):
                plan = list(without)
                plan[r] = room[:place] + [number] + room[place:]
                if cost(plan, operations) < least:
                    least = cost(plan, operations)
                    best = {"kind": "move", "operation": number, "room": r, "place": place}
    return best
