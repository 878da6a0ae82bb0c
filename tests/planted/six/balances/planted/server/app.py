"""uvicorn server.app:app"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import BalancesAction, BalancesObservation
    from .environment import BalancesEnvironment
except ImportError:
    from models import BalancesAction, BalancesObservation
    from server.environment import BalancesEnvironment

app = create_app(
    BalancesEnvironment, BalancesAction, BalancesObservation, env_name="balances"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
