import { computed, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../../data/companion.ts'
import { shortId } from '../../format/figures.ts'
import { useChannels } from '../channels/channels.ts'
import type { RecordedChannel, useFormerChannels } from '../channels/former-channels.ts'

/** Maximum of channels per request; hosted services accept one. */
const maxLanes = 200

/** Shows the chosen channel, or as many as fit. */
export function useRecordedLanes(
  chosenChannel: Readonly<Ref<string | null>>,
  former: ReturnType<typeof useFormerChannels>['list'],
) {
  const { t } = useI18n()
  const companion = useCompanion()
  const channels = useChannels()
  const formerNames = computed(
    () =>
      new Map(
        former.value.map(({ cid, name }) => [cid, name ?? t('files.unnamedChannel', { id: shortId(cid) })] as const),
      ),
  )
  const all = computed<RecordedChannel[]>(() => [
    ...channels.ordered.map((row) => row.channel),
    ...[...formerNames.value].map(([cid, name]) => ({ cid, name: t('files.deletedChannel', { name }) })),
  ])
  const lanes = computed<RecordedChannel[]>(() => {
    const one = all.value.find((channel) => channel.cid === chosenChannel.value)
    if (one) return [one]
    // Deleted channels keep lanes: nothing else on the screen leads to their files.
    const there = all.value.length - formerNames.value.size
    const shown = Math.max(maxLanes - formerNames.value.size, maxLanes / 2)
    return companion.extended
      ? [...all.value.slice(0, Math.min(there, shown)), ...all.value.slice(there)].slice(0, maxLanes)
      : channels.first
        ? [channels.first]
        : all.value.slice(0, 1)
  })
  const laneNames = computed(() =>
    lanes.value.length > 1 ? new Map(lanes.value.map(({ cid, name }) => [cid, name] as const)) : null,
  )
  return { formerNames, all, lanes, laneNames }
}
