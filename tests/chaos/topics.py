"""What lies in the broker's topics, read from outside the service."""

import struct
import threading
import time

import confluent_kafka
import confluent_kafka.admin

import checker

TIMEOUT = 10
READ_SECONDS = 120
HEADER = struct.Struct(">qiibIhiqqqhii")  # of a record batch, format 2
TRANSACTIONAL, CONTROL = 0x10, 0x20
ABORT = 0
QUIET = {"log_level": 2}  # what a client has to say about a broker that was killed is no news


def _consumer(address, group="chaos", committed_only=True, **more):
    return confluent_kafka.Consumer({
        "bootstrap.servers": address, "group.id": group, "enable.auto.commit": False,
        "auto.offset.reset": "error", "allow.auto.create.topics": False,
        "isolation.level": "read_committed" if committed_only else "read_uncommitted",
        "reconnect.backoff.max.ms": 500, "topic.metadata.refresh.interval.ms": 1000, **QUIET,
        **more})


class Topics:
    def __init__(self, address):
        self._address = address
        self._admin = confluent_kafka.admin.AdminClient({
            "bootstrap.servers": address, "reconnect.backoff.max.ms": 500, **QUIET})
        self._committed = _consumer(address)
        self._all = _consumer(address, committed_only=False)

    def close(self):
        self._committed.close()
        self._all.close()

    def create(self, name, partitions):
        topic = confluent_kafka.admin.NewTopic(name, partitions, 1)
        self._admin.create_topics([topic])[name].result(TIMEOUT)

    def delete(self, names):
        for deleted in self._admin.delete_topics(names).values():
            deleted.result(TIMEOUT)

    def partitions(self, name):
        """Their number; 0: there is no such topic."""
        return len(self._admin.list_topics(timeout=TIMEOUT).topics.get(name, _NoTopic).partitions)

    def end(self, name, partition=0, committed_only=False):
        """The offset behind the last record, or behind the last that no open transaction holds."""
        reader = self._committed if committed_only else self._all
        where = confluent_kafka.TopicPartition(name, partition)
        last = time.monotonic() + READ_SECONDS
        while True:
            try:
                return reader.get_watermark_offsets(where, timeout=TIMEOUT)[1]
            except confluent_kafka.KafkaException:
                # A broker that has just come up doesn't lead its partitions yet.
                if time.monotonic() > last:
                    raise
                time.sleep(0.1)

    def begin(self, name, partition=0):
        """The offset of the oldest record, or the end where there is none."""
        where = confluent_kafka.TopicPartition(name, partition)
        return self._all.get_watermark_offsets(where, timeout=TIMEOUT)[0]

    def commit(self, group, name, offset):
        """Sets a group's offset, as kafka-consumer-groups --reset-offsets does. Waits until the
        broker has given up members that ended without a word."""
        setter = _consumer(self._address, group)
        last = time.monotonic() + READ_SECONDS
        try:
            while True:
                try:
                    setter.commit(offsets=[confluent_kafka.TopicPartition(name, 0, offset)],
                                  asynchronous=False)
                    return
                except confluent_kafka.KafkaException as error:
                    unknown_member = confluent_kafka.KafkaError.UNKNOWN_MEMBER_ID
                    if error.args[0].code() != unknown_member or time.monotonic() > last:
                        raise
                    time.sleep(0.5)
        finally:
            setter.close()

    def ends(self, name):
        return {p: self.end(name, p) for p in range(self.partitions(name))}

    def committed(self, group, name):
        """Offsets by partition; waits for transactions that would change them."""
        asker = _consumer(self._address, group)
        try:
            places = [confluent_kafka.TopicPartition(name, p) for p in range(self.partitions(name))]
            return {p.partition: max(0, p.offset)
                    for p in asker.committed(places, timeout=TIMEOUT)}
        finally:
            asker.close()

    def held_up(self, names):
        """Partitions in which an open transaction holds up the readers."""
        return [(name, p) for name in names for p in range(self.partitions(name))
                if self.end(name, p, committed_only=True) < self.end(name, p)]

    def read(self, name):
        """All committed records, those of a partition in their order."""
        records = []
        reader = _consumer(self._address, **{"enable.partition.eof": True, "fetch.wait.max.ms": 50})
        try:
            unread = set(range(self.partitions(name)))
            reader.assign([confluent_kafka.TopicPartition(name, p, self.begin(name, p))
                           for p in unread])
            deadline = time.monotonic() + READ_SECONDS
            while unread:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"topic {name} could not be read to its end")
                message = reader.poll(1)
                if message is None:
                    continue
                if message.error():
                    if message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
                        unread.discard(message.partition())
                    continue
                records.append(checker.Record(
                    message.partition(), message.offset(), message.key(), message.value(),
                    dict(message.headers() or [])))
        finally:
            reader.close()
        return records


class _NoTopic:
    partitions = ()


def aborted_offsets(directory):
    """Offsets of aborted records and the number of aborted transactions, told from a partition's
    own files: a reader's word isn't taken for what it was to hide."""
    pending, aborted, transactions = {}, set(), 0
    for path in sorted(directory.glob("*.log")):
        data = path.read_bytes()
        position = 0
        while position + HEADER.size <= len(data):
            (base, length, _, _, _, attributes, last_delta, _, _, producer, _, _, _) = (
                HEADER.unpack_from(data, position))
            if length <= 0 or position + 12 + length > len(data):
                break
            if attributes & CONTROL:
                offsets = pending.pop(producer, [])
                if _control_type(data, position + HEADER.size) == ABORT:
                    aborted.update(offsets)
                    transactions += 1
            elif attributes & TRANSACTIONAL:
                pending.setdefault(producer, []).extend(range(base, base + last_delta + 1))
            position += 12 + length
    return aborted, transactions


def _control_type(data, position):
    """Of the one record in a control batch: its key is a version and a type of 2 bytes each."""
    position = _skip_varint(data, position) + 1  # length, attributes
    for _ in range(3):  # timestamp, offset, length of the key
        position = _skip_varint(data, position)
    return struct.unpack_from(">hh", data, position)[1]


def _skip_varint(data, position):
    while data[position] & 0x80:
        position += 1
    return position + 1


class Reader:
    """Reads the committed records of a one-partition topic all the while, on its own thread."""

    def __init__(self, address, topic):
        self.offsets = []
        self.last_arrival = None
        self.longest_gap = 0.0
        self._stop = threading.Event()
        self._consumer = _consumer(address)
        self._consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        self._thread = threading.Thread(target=self._read, name="reader")
        self._thread.start()

    @property
    def count(self):
        return len(self.offsets)

    def forget_gap(self):
        """The time until the next record is no gap: nobody was at work."""
        self.last_arrival = None

    def _read(self):
        while not self._stop.is_set():
            message = self._consumer.poll(0.1)
            if message is None or message.error():
                continue
            now = time.monotonic()
            if self.last_arrival is not None:
                self.longest_gap = max(self.longest_gap, now - self.last_arrival)
            self.last_arrival = now
            self.offsets.append(message.offset())

    def close(self):
        self._stop.set()
        self._thread.join()
        self._consumer.close()
