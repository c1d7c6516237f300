#!/usr/bin/env bash
# Gives a role of crawlsieve the permissions that it needs, and no others.
#
#   acls.sh extract User:extractor
#   acls.sh judge User:judge
#
# A process with both roles needs both. Names differ from the defaults where these say so:
#
#   BOOTSTRAP_SERVER   of the brokers (default: localhost:9092)
#   COMMAND_CONFIG     file with the client properties of an administrator (default: none)
#   INPUT_TOPICS       kafka.input.topics, separated by blanks (default: crawl.pages)
#   ASKED_TOPIC        kafka.asked.topic (default: none)
#   LOG_TOPIC          kafka.log.topic (default: crawl.fingerprints)
#   KEY_TOPIC          kafka.key.topic (default: crawl.key)
#   VERDICTS_TOPIC     kafka.verdicts.topic (default: crawl.verdicts)
#   KEPT_TOPIC         kafka.kept.topic (default: none): the judge reads the input topics then
#   SCORES_TOPIC       kafka.scores.topic (default: none)
#   SITES_TOPIC        kafka.sites.topic (default: none)
#   METRICS_TOPIC      metrics.topic (default: crawl.metrics; none if set and empty)
#   DEAD_LETTERS       kafka.dead_letters.suffix (default: .dlq)
#   GROUP              kafka.group (default: crawlsieve)
#   KAFKA_ACLS         the command of Kafka (default: kafka-acls.sh)
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}
(($# == 2)) || usage
readonly role=$1 principal=$2
read -r -a inputs <<<"${INPUT_TOPICS:-crawl.pages}"
if [[ -n ${ASKED_TOPIC-} ]]; then inputs+=("$ASKED_TOPIC"); fi

allow() {
  "${KAFKA_ACLS:-kafka-acls.sh}" --bootstrap-server "${BOOTSTRAP_SERVER:-localhost:9092}" \
    ${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} \
    --add --allow-principal "$principal" "$@"
}

topics=()
add_topic() {
  if [[ -n $1 ]]; then topics+=(--topic "$1"); fi
}

log=${LOG_TOPIC:-crawl.fingerprints}
key=${KEY_TOPIC:-crawl.key}
metrics=${METRICS_TOPIC-crawl.metrics}
group=${GROUP:-crawlsieve}

case $role in
  extract)
    for input in "${inputs[@]}"; do add_topic "$input"; done
    add_topic "$key"
    allow --operation Read --operation DescribeConfigs "${topics[@]}"
    allow --operation Read --operation Write --operation DescribeConfigs --topic "$log"
    topics=()
    for input in "${inputs[@]}"; do add_topic "$input${DEAD_LETTERS:-.dlq}"; done
    add_topic "$metrics"
    allow --operation Create --operation Write --operation DescribeConfigs "${topics[@]}"
    allow --operation Read --group "$group.extract"
    # The log and the key are read by clients that name this group and don't join it.
    allow --operation Describe --group "$group.judge"
    ;;
  judge)
    allow --operation Create --operation Read --operation Write --operation DescribeConfigs \
      --topic "$log" --topic "$key"
    add_topic "${VERDICTS_TOPIC:-crawl.verdicts}"
    add_topic "${KEPT_TOPIC-}"
    add_topic "${SCORES_TOPIC-}"
    add_topic "${SITES_TOPIC-}"
    add_topic "$metrics"
    allow --operation Create --operation Write --operation DescribeConfigs "${topics[@]}"
    if [[ -n ${KEPT_TOPIC-} ]]; then
      topics=()
      for input in "${inputs[@]}"; do add_topic "$input"; done
      allow --operation Read --operation DescribeConfigs "${topics[@]}"
    fi
    allow --operation Read --group "$group.judge"
    allow --operation Write --transactional-id "$group.judge"
    ;;
  *) usage ;;
esac
