import type { Clock } from '../platform/clock.ts'
import type { EventFor, NoticeKind } from '../contract/rpc/index.ts'
import type { OnAirBoard } from './on-air-state.ts'
import type { Words } from './words.ts'
import { createLru } from '../platform/lru.ts'

/** A notification and the route that a click opens. */
export interface Notice {
  readonly title: string
  readonly body: string
  readonly route: string
  /** Profile to switch to before the route opens. */
  readonly profileId?: string
}

interface NoticePorts {
  readonly air: OnAirBoard
  readonly words: () => Words
  /** Whether one of the app's windows is in front. */
  readonly isLooking: () => boolean
  readonly show: (notice: Notice) => void
  readonly clock: Pick<Clock, 'now'>
}

/** Bytes; repeated only after it rose by a quarter. */
export const minDisk = 5 * 1024 ** 3
/** Minimum time between two notifications of a kind about one thing, in ms: no flood can be provoked. */
export const noticeApart = 30_000
const maxRemembered = 500

/** Notifications while no window has focus, of the kinds turned on. They contain names, figures and states only. */
export function createNotices({ air, words, isLooking, show, clock }: NoticePorts): {
  hear(event: EventFor<'desktop'>, before: ReturnType<OnAirBoard['now']>): void
} {
  const lastAt = createLru<number>(maxRemembered)
  const seen = new Set<string>()
  const stopped = new Map<string, string>()
  let failures: number | undefined
  let isLow = false

  const tell = (
    kind: NoticeKind,
    about: string,
    [title = '', body = '']: readonly string[],
    route: string,
    profileId?: string,
  ): void => {
    if (!air.now().settings?.notices.includes(kind)) return
    const key = `${kind} ${about}`
    const now = clock.now()
    if (now - (lastAt.get(key) ?? Number.NEGATIVE_INFINITY) < noticeApart) return
    lastAt.set(key, now)
    show({ title, body, route, ...(profileId === undefined ? {} : { profileId }) })
  }
  const nameOf = (name: string | undefined): string => (name === undefined || name === '' ? words().unnamed : name)

  return {
    hear: (event, before) => {
      if (event.type === 'tallies') {
        // The first state of a profile and a failed read are no changes.
        const isFirst = !seen.has(event.profileId)
        if (event.fault === null) seen.add(event.profileId)
        if (isFirst || event.fault !== null) return
        const of = (channels: typeof before.channels): typeof before.channels =>
          channels.filter(({ profileId }) => profileId === event.profileId)
        const [then, now] = [of(before.channels), of(air.now().channels)]
        for (const { cid, name, profileId } of now)
          if (!then.some((one) => one.cid === cid) && !isLooking())
            tell('onAir', cid, words().notices.onAir(nameOf(name)), `/studio/${cid}`, profileId)
        for (const { cid, name, profileId } of then)
          if (!now.some((one) => one.cid === cid))
            tell('pushLost', cid, words().notices.pushLost(nameOf(name)), `/studio/${cid}`, profileId)
      } else if (event.type === 'recording') {
        const { cid, profileId, recording } = event
        const was = stopped.get(cid)
        if (recording.state === 'off') stopped.delete(cid)
        else stopped.set(cid, recording.state)
        if (recording.state === 'stopped' && was !== undefined && was !== 'stopped') {
          const name = nameOf(before.channels.find((one) => one.cid === cid)?.name)
          const said = words().notices.recordingStopped(name, recording.reason === 'space')
          tell('recordingStopped', cid, said, `/studio/${cid}`, profileId)
        }
      } else if (event.type === 'service') {
        const { recordingRoom } = event.service
        if (recordingRoom === null) return
        if (recordingRoom < minDisk && !isLow)
          tell('diskLow', '', words().notices.diskLow((recordingRoom / 1024 ** 3).toFixed(1)), '/settings/recordings')
        isLow = recordingRoom < (isLow ? minDisk * 1.25 : minDisk)
      } else if (event.type === 'seats') {
        const now = event.board.listener.failures
        if (failures !== undefined && now > failures)
          tell('signInFailed', '', words().notices.signInFailed(), '/settings/moderators')
        failures = now
      }
    },
  }
}
