"""A TCP proxy on loopback whose connections can be reset, or swallow what they carry."""

import asyncio
import contextlib
import socket
import struct
import threading

CHUNK = 1 << 16
RESET = struct.pack("ii", 1, 0)  # SO_LINGER of 0 s: close sends RST


class Proxy:
    """Listens from the start; forwards as soon as it knows where to. Runs on its own thread."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._target = None
        self._open = {}  # writer of a client: writer of the broker
        self._silent = set()  # directions that swallow: "up", "down"
        self._victims = None  # clients that the silence is for; None: all, new ones too
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy")
        self._thread.start()

    def forward_to(self, address):
        host, port = address.rsplit(":", 1)
        self._target = (host, int(port))

    def reset(self, rng=None):
        """Resets all connections; with `rng`, about half of them."""
        self._do(lambda: self._reset(self._choose(rng)))

    def silence(self, directions, rng=None):
        """From now on `directions` ("up": to the broker, "down": from it) swallow every byte, for
        all connections, new ones too; with `rng` for about half of those that are open."""
        def silence():
            self._victims = None if rng is None else self._choose(rng)
            self._silent = set(directions)
        self._do(silence)

    def heal(self):
        """Forwards again. Connections that lost bytes can't go on, and are reset."""
        def heal():
            self._silent = set()
            self._reset(list(self._open) if self._victims is None else self._victims)
            self._victims = None
        self._do(heal)

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _do(self, action):
        async def call():
            action()
        asyncio.run_coroutine_threadsafe(call(), self._loop).result(10)

    def _run(self):
        self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listener))
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _choose(self, rng):
        return [c for c in self._open if rng is None or rng.random() < 0.5]

    def _reset(self, clients):
        for client in clients:
            for writer in (client, self._open.pop(client, None)):
                if writer is not None:
                    with contextlib.suppress(OSError):
                        writer.get_extra_info("socket").setsockopt(
                            socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    writer.transport.abort()

    async def _serve(self, reader, client):
        try:
            from_broker, broker = await asyncio.open_connection(*self._target)
        except (OSError, TypeError):  # it is down, or not known yet
            client.transport.abort()
            return
        self._open[client] = broker
        await asyncio.gather(self._pump(reader, broker, client, "up"),
                             self._pump(from_broker, client, client, "down"))
        self._open.pop(client, None)

    async def _pump(self, reader, writer, client, direction):
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(CHUNK):
                if direction in self._silent and (self._victims is None
                                                  or client in self._victims):
                    continue
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError, RuntimeError):
            writer.close()
