import type { Clock } from '../companion/clock.ts'
import type { AppEvent, NoticeKind } from '../contract/rpc/index.ts'
import type { AirBoard } from './on-air-state.ts'
import type { Words } from './words.ts'

/** Something to tell, and the route of the page that shows it. */
export interface Notice {
  readonly title: string
  readonly body: string
  readonly route: string
  /** Profile that the route is about; the page changes to it. */
  readonly profileId?: string
}

/** What notifications need. */
export interface NoticePorts {
  readonly air: AirBoard
  readonly words: () => Words
  /** Whether one of the app's windows is in front. */
  readonly isLooking: () => boolean
  readonly show: (notice: Notice) => void
  readonly clock: Pick<Clock, 'now'>
}

/** Below this much free space it is said once, and again only after there was a quarter more, in bytes. */
export const diskLeast = 5 * 1024 ** 3
/** One kind about one thing is not told again before this, in ms: who provokes them must not flood the desktop. */
export const noticeApart = 30_000
/** Things that are remembered for that. */
const maxRemembered = 500

/** Tells what happens while nobody looks; kinds that the settings leave out are not shown. No secret is in any of them: only names, figures and states. */
export function createNotices({ air, words, isLooking, show, clock }: NoticePorts): {
  hear(event: AppEvent, before: ReturnType<AirBoard['now']>): void
} {
  const lastAt = new Map<string, number>()
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
    lastAt.delete(key)
    lastAt.set(key, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > maxRemembered && oldest !== undefined) lastAt.delete(oldest)
    show({ title, body, route, ...(profileId === undefined ? {} : { profileId }) })
  }
  const nameOf = (name: string | undefined): string => (name === undefined || name === '' ? words().unnamed : name)

  return {
    hear: (event, before) => {
      if (event.type === 'tallies') {
        // The first word of a profile, and one that could not be had, tell nothing new.
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
          const name = before.channels.find((one) => one.cid === cid)?.name
          tell(
            'recordingStopped',
            cid,
            words().notices.recordingStopped(nameOf(name), recording.reason === 'space'),
            `/studio/${cid}`,
            profileId,
          )
        }
      } else if (event.type === 'service') {
        const { recordingRoom } = event.service
        if (recordingRoom === null) return
        if (recordingRoom < diskLeast && !isLow)
          tell('diskLow', '', words().notices.diskLow((recordingRoom / 1024 ** 3).toFixed(1)), '/settings/recordings')
        isLow = recordingRoom < (isLow ? diskLeast * 1.25 : diskLeast)
      } else if (event.type === 'seats') {
        const now = event.board.listener.failures
        if (failures !== undefined && now > failures)
          tell('signInFailed', '', words().notices.signInFailed(), '/settings/moderators')
        failures = now
      }
    },
  }
}
