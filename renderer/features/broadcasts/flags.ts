import { useI18n } from 'vue-i18n'
import { bandsOf, holdsOf, type Band, type RangeCause } from './broadcast-figures.ts'
import type { Broadcast } from './broadcast.ts'
import type { KeptRow, Second } from './broadcast-rows.ts'
import { secondAt } from './broadcast-rows.ts'
import { useSpokenTimes } from './spoken-times.ts'

/** Something that happened, as it stands over the graph. */
export interface Flag {
  readonly key: string
  /** In ms. */
  readonly at: number
  readonly said: string
  readonly icon: string
  /** It asked for attention. */
  readonly isFault: boolean
  /** What it opens; undefined where nothing was recorded. */
  readonly second: Second | undefined
}

type Event = Broadcast['events'][number]
type Said = Pick<Flag, 'said' | 'icon' | 'isFault'>
const faults: ReadonlySet<string> = new Set(['retrying', 'refused', 'noKey'])
/** States of a target and of the recording that are told. */
const targetTold: ReadonlySet<string> = new Set([...faults, 'sending', 'stopped', 'off'])
const recordingTold: ReadonlySet<string> = new Set(['recording', 'stopped', 'off'])
const icons: Readonly<Record<RangeCause, string>> = {
  silent: 'i-lucide-unplug',
  bitrate: 'i-lucide-triangle-alert',
  frames: 'i-lucide-triangle-alert',
  keyFrames: 'i-lucide-triangle-alert',
}
/** A time without figures that begins so soon around a hold is the hold; in ms. */
const aroundHold = 15_000

/** Says what happened in a broadcast. Call it within a component. */
export function useFlags() {
  const { t } = useI18n()
  const { length, comma } = useSpokenTimes()
  const bandSaid = ({ causes, from, to }: Band): string =>
    causes.map((cause) => t(`broadcast.band.${cause}`, { length: length(to - from) })).join(comma())
  const saidOf = ({ kind, state = '', detail, target }: Event): Said | undefined => {
    if (kind === 'stalled') {
      const said = t('broadcast.flag.stalled', { length: length(Number(detail)) })
      return { said, icon: 'i-lucide-unplug', isFault: true }
    }
    if (kind === 'retimed' || kind === 'leftOut')
      return { said: t(`broadcast.flag.${kind}`), icon: 'i-lucide-clock-alert', isFault: true }
    if (kind === 'target' && targetTold.has(state)) {
      const said = t(`broadcast.flag.targetState.${state}`, { name: target ?? t('broadcast.flag.target') })
      const isFault = faults.has(state)
      return { said, icon: isFault ? 'i-lucide-triangle-alert' : 'i-lucide-send', isFault }
    }
    if (kind === 'recording' && recordingTold.has(state)) {
      const isFault = state === 'stopped'
      const icon = isFault ? 'i-lucide-triangle-alert' : 'i-lucide-circle-dot'
      return { said: t(`broadcast.flag.recording.${state}`), icon, isFault }
    }
    return undefined
  }
  return {
    bandSaid,
    /** By time; `rows` are what was kept of it. */
    flagsOf: (broadcast: Broadcast, rows: readonly KeptRow[]): readonly Flag[] => {
      const files = rows.flatMap((row) => (row.kind === 'file' ? [row.file] : []))
      const holds = holdsOf(broadcast)
      const end = broadcast.ended ?? Infinity
      const flag = (key: string, at: number, said: Said, second = secondAt(files, at)): Flag => {
        return { key, at, second, ...said }
      }
      const isHold = ({ causes, from, to }: Band): boolean =>
        causes[0] === 'silent' && holds.some((hold) => from <= hold.to + aroundHold && to >= hold.from - aroundHold)
      return [
        ...holds.map((hold, index) => {
          const of = { length: length(Math.min(hold.to, end === Infinity ? hold.from : end) - hold.from) }
          const said = t(hold.byHand ? 'broadcast.flag.heldByHand' : 'broadcast.flag.heldLost', of)
          return flag(`held${index}`, hold.from, { said, icon: 'i-lucide-hand', isFault: true })
        }),
        ...broadcast.events.flatMap((event, index) => {
          const said = saidOf(event)
          return said ? [flag(`event${index}`, event.at, said)] : []
        }),
        ...bandsOf(broadcast.samples).flatMap((band) =>
          isHold(band)
            ? []
            : [
                flag(`band${band.from}`, band.from, {
                  said: bandSaid(band),
                  icon: icons[band.causes[0]!],
                  isFault: true,
                }),
              ],
        ),
        ...rows.flatMap((row) => {
          if (row.kind === 'marker') {
            const said = row.marker.label || t('broadcast.flag.marker')
            return [flag(row.key, row.at, { said, icon: 'i-lucide-bookmark', isFault: false }, row.covered)]
          }
          if (row.kind !== 'clip') return []
          const said = { said: t('broadcast.flag.clip'), icon: 'i-lucide-scissors', isFault: false }
          return [flag(row.key, row.at, said, { file: row.file, from: 0 })]
        }),
      ]
        .filter(({ at }) => at >= broadcast.began - 1_000 && at <= end)
        .toSorted((a, b) => a.at - b.at)
    },
  }
}
