"""A layer that keeps the connection of a client whose body is too large.

The server closes a connection whose request it has not read to the end, without saying so in its
answer: the client's next request on it is then lost, or the answer itself, if the client is still
sending. So the rest of a refused body is read and thrown away first.
"""

from __future__ import annotations

import asyncio
from typing import Final, cast

from litestar.status_codes import HTTP_413_REQUEST_ENTITY_TOO_LARGE
from litestar.types import ASGIApp, HTTPReceiveMessage, Message, Receive, Scope, Send

READ_AT_MOST: Final = 16 * 1024 * 1024
"""Bytes of a refused body that are read; who sends more may see a reset connection."""

READ_FOR_AT_MOST_S: Final = 2.0


def refused_bodies_read(app: ASGIApp) -> ASGIApp:
    """Put the layer around an application."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        ended = False

        async def receive_noting_the_end() -> HTTPReceiveMessage:
            nonlocal ended
            message = cast("HTTPReceiveMessage", await receive())
            ended = not message.get("more_body", False)
            return message

        async def send_after_the_body(message: Message) -> None:
            if message.get("status") == HTTP_413_REQUEST_ENTITY_TOO_LARGE and not ended:
                await read_the_rest()
            await send(message)

        async def read_the_rest() -> None:
            read = 0
            try:
                async with asyncio.timeout(READ_FOR_AT_MOST_S):
                    while not ended and read < READ_AT_MOST:
                        message = await receive_noting_the_end()
                        if message["type"] == "http.request":
                            read += len(message["body"])
            except TimeoutError:
                return  # it is slow: it has had its chance, the answer goes out now

        await app(scope, receive_noting_the_end, send_after_the_body)

    return handle
