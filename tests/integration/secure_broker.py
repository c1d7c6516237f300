"""A Kafka broker with TLS, SCRAM and ACLs on loopback, for tests. What it needs is made by openssl
in the folder of the test."""

import ctypes
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = subprocess.check_output([ROOT / "script/broker", "home"], text=True).strip()
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
SECONDS = 120
# Listeners beside PLAINTEXT, whose clients are super users: protocol, certificate, other settings.
LISTENERS = {
    "TLS": ("SSL", "server", {}),
    "MTLS": ("SSL", "server", {"ssl.client.auth": "required"}),
    "EXPIRED": ("SSL", "expired", {}),
    "OTHERNAME": ("SSL", "othername", {}),
    "SCRAM": ("SASL_SSL", "server", {
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
        "scram-sha-256.sasl.jaas.config":
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"}),
    "PLAIN": ("SASL_SSL", "server", {
        "sasl.enabled.mechanisms": "PLAIN",
        "plain.sasl.jaas.config":
            "org.apache.kafka.common.security.plain.PlainLoginModule required "
            'user_judge="judge-secret";'}),
}
FIRST_SCRAM_FOR_KAFKA_4 = 0x02060100  # of librdkafka
PASSWORDS = {"extract": "extract-secret", "judge": "judge-secret", "index": "index-secret",
             "nobody": "nobody-secret"}


def java(home):
    """The command that runs a class of Kafka."""
    return ["java", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
            f"{home}/lib/*"]


JAVA = java(HOME)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for made in sockets:
        made.bind(("127.0.0.1", 0))
    ports = [made.getsockname()[1] for made in sockets]
    for made in sockets:
        made.close()
    return ports


class Certificates:
    """PEM files in a folder: NAME.crt, NAME.key, and NAME.pem with both, for Java."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        for ca in ("ca", "otherca"):
            self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                         f"/CN={ca}", "-keyout", f"{ca}.key", "-out", f"{ca}.crt")
        loopback = "DNS:localhost,IP:127.0.0.1"
        self.sign("server", loopback)
        self.sign("othername", "DNS:other.example")
        self.sign("expired", loopback, "-not_before", "20200101000000Z",
                  "-not_after", "20200102000000Z")
        self.sign("client", "DNS:client.example")
        self.sign("stranger", "DNS:stranger.example", ca="otherca")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def sign(self, name, names, *dates, ca="ca"):
        (self.folder / f"{ca}.cnf").write_text(
            f"[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase={ca}.index\nrand_serial=yes\n"
            "default_md=sha256\npolicy=p\ncopy_extensions=copy\nunique_subject=no\n"
            "default_days=2\n[p]\ncommonName=supplied\n")
        (self.folder / f"{ca}.index").touch()
        self.openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                     "-addext", f"subjectAltName={names}", "-keyout", f"{name}.key", "-out",
                     f"{name}.csr")
        options = [option.lstrip("-").replace("not_before", "startdate").replace(
            "not_after", "enddate") if option.startswith("-") else option for option in dates]
        options = [f"-{o}" if o in ("startdate", "enddate") else o for o in options]
        self.openssl("ca", "-batch", "-config", f"{ca}.cnf", "-cert", f"{ca}.crt", "-keyfile",
                     f"{ca}.key", "-in", f"{name}.csr", "-out", f"{name}.crt", "-notext", *options)
        (self.folder / f"{name}.pem").write_text(
            (self.folder / f"{name}.key").read_text() + (self.folder / f"{name}.crt").read_text())

    def path(self, name):
        return str(self.folder / name)


class SecureBroker:
    """Starts at once; `stop` ends it. Addresses are in `address` by listener. A `home` has the jars
    of another version than the usual one."""

    def __init__(self, folder, home=None):
        self.folder = folder
        if home is None:
            subprocess.run([ROOT / "script/broker", "fetch"], check=True)
        kafka = java(home or HOME)
        self.certificates = Certificates(folder / "certificates")
        names = ["PLAINTEXT", *LISTENERS]
        ports = free_ports(len(names) + 1)
        self.address = {name: f"localhost:{port}" for name, port in zip(names, ports)}
        controller = ports[-1]
        protocols = {"CONTROLLER": "PLAINTEXT", "PLAINTEXT": "PLAINTEXT",
                     **{name: entry[0] for name, entry in LISTENERS.items()}}
        listeners = ",".join(f"{name}://{address}" for name, address in self.address.items())
        lines = [
            "process.roles=broker,controller", "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"listeners={listeners},CONTROLLER://127.0.0.1:{controller}",
            f"advertised.listeners={listeners}", "controller.listener.names=CONTROLLER",
            "inter.broker.listener.name=PLAINTEXT",
            "listener.security.protocol.map=" + ",".join(f"{k}:{v}" for k, v in protocols.items()),
            f"log.dirs={folder}/data", "offsets.topic.replication.factor=1",
            "offsets.topic.num.partitions=1", "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1", "transaction.state.log.num.partitions=1",
            "group.initial.rebalance.delay.ms=0", "group.min.session.timeout.ms=500",
            "auto.create.topics.enable=false",
            "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users=User:ANONYMOUS",
            "ssl.truststore.type=PEM", f"ssl.truststore.location={self.certificates.path('ca.crt')}",
            # Delays of refused logins are for attackers; tests would only wait.
            "connection.failed.authentication.delay.ms=0",
        ]
        for name, (_, certificate, settings) in LISTENERS.items():
            prefix = f"listener.name.{name.lower()}."
            lines += [f"{prefix}ssl.keystore.type=PEM",
                      f"{prefix}ssl.keystore.location={self.certificates.path(certificate)}.pem"]
            lines += [f"{prefix}{key}={value}" for key, value in settings.items()]
        config = folder / "server.properties"
        config.write_text("\n".join(lines) + "\n")
        users = [part for user, password in PASSWORDS.items() for part in
                 ("--add-scram", f"SCRAM-SHA-256=[name={user},password={password}]")]
        subprocess.run([*kafka, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", config,
                        *users], check=True, stdout=subprocess.DEVNULL)
        self.log = folder / "broker.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*kafka, "kafka.Kafka", str(config)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
        deadline = time.monotonic() + SECONDS
        while subprocess.run(["kcat", "-L", "-b", self.address["PLAINTEXT"], "-m", "2"],
                             capture_output=True, check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(self.log.read_text()[-4000:])
            time.sleep(0.2)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def client(self, listener, **properties):
        """Properties of a client that trusts the CA of the broker; dots are written as _."""
        protocol = "PLAINTEXT" if listener == "PLAINTEXT" else LISTENERS[listener][0]
        found = {"security.protocol": protocol}
        if protocol != "PLAINTEXT":
            found["ssl.ca.location"] = self.certificates.path("ca.crt")
        found.update({key.replace("_", "."): value for key, value in properties.items()})
        return {key: value for key, value in found.items() if value is not None}

    def scram(self, user, **properties):
        return self.client("SCRAM", **{
            "sasl_mechanism": "SCRAM-SHA-256", "sasl_username": user,
            "sasl_password": PASSWORDS.get(user, "secret"), **properties})


class Acls:
    """Adds and removes ACLs of topics and groups through librdkafka. Debian's Python package has no
    functions for them, and Kafka's command takes seconds."""

    TOPIC, GROUP = 2, 3
    OPERATIONS = {"Read": 3, "Write": 4, "Create": 5, "Describe": 8, "DescribeConfigs": 10}
    LITERAL, ALLOW = 3, 3

    def __init__(self, bootstrap):
        self.lib = lib = ctypes.CDLL("librdkafka.so.1")
        for name in ("rd_kafka_new", "rd_kafka_conf_new", "rd_kafka_queue_new",
                     "rd_kafka_AclBinding_new", "rd_kafka_AclBindingFilter_new",
                     "rd_kafka_queue_poll", "rd_kafka_event_CreateAcls_result",
                     "rd_kafka_CreateAcls_result_acls", "rd_kafka_acl_result_error",
                     "rd_kafka_event_DeleteAcls_result", "rd_kafka_DeleteAcls_result_responses",
                     "rd_kafka_DeleteAcls_result_response_matching_acls"):
            getattr(lib, name).restype = ctypes.c_void_p
        conf = ctypes.c_void_p(lib.rd_kafka_conf_new())
        text = ctypes.create_string_buffer(512)
        lib.rd_kafka_conf_set(conf, b"bootstrap.servers", bootstrap.encode(), text, 512)
        self.client = ctypes.c_void_p(lib.rd_kafka_new(0, conf, text, 512))
        assert self.client.value, text.value
        self.queue = ctypes.c_void_p(lib.rd_kafka_queue_new(self.client))

    def _binding(self, make, acl):
        user, kind, name, operation = acl
        text = ctypes.create_string_buffer(512)
        binding = getattr(self.lib, make)(
            {"topic": self.TOPIC, "group": self.GROUP}[kind], name.encode(), self.LITERAL,
            f"User:{user}".encode(), b"*", self.OPERATIONS[operation], self.ALLOW, text,
            512)
        assert binding, text.value
        return (ctypes.c_void_p * 1)(binding)

    def _answer(self, what):
        event = ctypes.c_void_p(self.lib.rd_kafka_queue_poll(self.queue, 20_000))
        assert event.value and self.lib.rd_kafka_event_error(event) == 0, what
        return event

    def add(self, acl):
        self.lib.rd_kafka_CreateAcls(self.client, self._binding("rd_kafka_AclBinding_new", acl),
                                     ctypes.c_size_t(1), None, self.queue)
        event = self._answer(acl)
        self.lib.rd_kafka_event_destroy(event)

    def remove(self, acl):
        self.lib.rd_kafka_DeleteAcls(
            self.client, self._binding("rd_kafka_AclBindingFilter_new", acl), ctypes.c_size_t(1),
            None, self.queue)
        event = self._answer(acl)
        count = ctypes.c_size_t()
        responses = ctypes.cast(self.lib.rd_kafka_DeleteAcls_result_responses(
            ctypes.c_void_p(self.lib.rd_kafka_event_DeleteAcls_result(event)),
            ctypes.byref(count)), ctypes.POINTER(ctypes.c_void_p))
        matching = ctypes.c_size_t()
        self.lib.rd_kafka_DeleteAcls_result_response_matching_acls(
            ctypes.c_void_p(responses[0]), ctypes.byref(matching))
        self.lib.rd_kafka_event_destroy(event)
        assert matching.value == 1, f"{acl} was not there"


def kafka_acls(*arguments):
    """Kafka's own command."""
    return subprocess.run([*JAVA, "kafka.admin.AclCommand", *arguments], check=True, text=True,
                          capture_output=True).stdout
