"""What Debian's Python client has no functions for: deleting records and a group's offsets."""

import ctypes

_LIBRARY = ctypes.CDLL("librdkafka.so.1")
_PRODUCER = 0


def _function(name, result, *arguments):
    function = getattr(_LIBRARY, "rd_kafka_" + name)
    function.restype, function.argtypes = result, arguments
    return function


_p, _i, _s, _n = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t
_conf_new = _function("conf_new", _p)
_conf_set = _function("conf_set", _i, _p, _s, _s, _p, _n)
_new = _function("new", _p, _i, _p, _p, _n)
_destroy = _function("destroy", None, _p)
_list_new = _function("topic_partition_list_new", _p, _i)
_list_add = _function("topic_partition_list_add", _p, _p, _s, ctypes.c_int32)
_list_set_offset = _function("topic_partition_list_set_offset", _i, _p, _s, ctypes.c_int32,
                             ctypes.c_int64)
_list_destroy = _function("topic_partition_list_destroy", None, _p)
_queue_new = _function("queue_new", _p, _p)
_queue_destroy = _function("queue_destroy", None, _p)
_queue_poll = _function("queue_poll", _p, _p, _i)
_event_error = _function("event_error", _i, _p)
_event_destroy = _function("event_destroy", None, _p)
_records_new = _function("DeleteRecords_new", _p, _p)
_records_destroy = _function("DeleteRecords_destroy", None, _p)
_delete_records = _function("DeleteRecords", None, _p, _p, _n, _p, _p)
_offsets_new = _function("DeleteConsumerGroupOffsets_new", _p, _s, _p)
_offsets_destroy = _function("DeleteConsumerGroupOffsets_destroy", None, _p)
_delete_offsets = _function("DeleteConsumerGroupOffsets", None, _p, _p, _n, _p, _p)
_offsets_result = _function("event_DeleteConsumerGroupOffsets_result", _p, _p)
_result_groups = _function("DeleteConsumerGroupOffsets_result_groups", ctypes.POINTER(_p), _p,
                           ctypes.POINTER(_n))
_group_error = _function("group_result_error", _p, _p)


def _ask(address, call, inspect):
    """The error code of an admin call; 0: done."""
    conf = _conf_new()
    for name, value in ((b"bootstrap.servers", address.encode()), (b"log_level", b"2")):
        _conf_set(conf, name, value, None, 0)
    handle = _new(_PRODUCER, conf, None, 0)
    queue = _queue_new(handle)
    call(handle, queue)
    event = _queue_poll(queue, 10_000)
    code = (_event_error(event) or inspect(event)) if event else -1
    if event:
        _event_destroy(event)
    _queue_destroy(queue)
    _destroy(handle)
    return code


def _made(topic, offsets):
    places = _list_new(len(offsets))
    for partition, offset in offsets.items():
        _list_add(places, topic.encode(), partition)
        _list_set_offset(places, topic.encode(), partition, offset)
    return places


def delete_records(address, topic, offsets):
    """Deletes the records below an offset, for each partition in `offsets`. False: not done."""
    places = _made(topic, offsets)
    records = _p(_records_new(places))
    code = _ask(address, lambda handle, queue: _delete_records(
        handle, ctypes.byref(records), 1, None, queue), lambda event: 0)
    _records_destroy(records)
    _list_destroy(places)
    return code == 0


def delete_group_offsets(address, group, topic, partitions):
    """False: not done, as while the group has members."""
    places = _made(topic, {partition: 0 for partition in partitions})
    offsets = _p(_offsets_new(group.encode(), places))

    def group_error(event):
        count = _n()
        groups = _result_groups(_offsets_result(event), ctypes.byref(count))
        return int(count.value != 1 or _group_error(groups[0]) is not None)

    code = _ask(address, lambda handle, queue: _delete_offsets(
        handle, ctypes.byref(offsets), 1, None, queue), group_error)
    _offsets_destroy(offsets)
    _list_destroy(places)
    return code == 0
