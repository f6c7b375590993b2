import { isPushEnd } from '../../contract/push-ends.ts'
import type { IngestFigures, LocalEvent } from '../../contract/local-events.ts'
import { maxBroadcastEvents, maxSamples, type BroadcastEnd } from '../../contract/operations/broadcasts.ts'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { createSerial } from '../../platform/serial.ts'
import { inBackground } from '../background.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import type { Log } from '../log.ts'
import { createBroadcastEvents, type Happened } from './broadcast-events.ts'
import type { BroadcastsStore, NewEvent } from './broadcasts-store.ts'
import type { BegunPush, Broadcasts } from './broadcasts.ts'
import { createSamples } from './samples.ts'

/** How often a push is measured, and what was measured is stored, in ms. */
export const [measureEvery, noteEvery] = [1000, 10_000] as const
/** A push that no service has seen for so long has ended, in ms. */
const goneAfter = 60_000
/** Pause after a failure of the database, in ms. */
const againAfter = 5000
/** Begins and ends that wait to be stored at most; the oldest are left out. */
const maxWaiting = 1000

/** A push on air here. */
interface Running extends BegunPush {
  /** The push that it replaced, until what was measured of that is stored. */
  follows?: Running | undefined
  /** Once its begin is stored. */
  broadcastId?: string
  readonly samples: ReturnType<typeof createSamples>
  readonly kept: ReturnType<typeof createBroadcastEvents>
  /** Not stored yet. */
  events: Happened[]
  /** Events that are stored. */
  count: number
  measured: number
  viewers: number
  peak: number
  leftOut: number
  /** Measurements until the next note. */
  due: number
}
const nothingYet = { count: 0, measured: 0, viewers: 0, peak: 0, leftOut: 0 }
/** A push began, or ended. */
type Change =
  | { readonly push: Running; readonly isEnd: false }
  | { readonly push: Running; readonly isEnd: true; readonly at: number; readonly how: BroadcastEnd }

const endOf = (detail: string | undefined): BroadcastEnd =>
  detail !== undefined && isPushEnd(detail) ? detail : 'lost'

/** Keeps what becomes of the pushes of this node in their broadcasts. Media never waits for it. */
export function createBroadcastRecorder(options: {
  readonly broadcasts: Broadcasts
  readonly store: Pick<BroadcastsStore, 'note' | 'open' | 'samplesOf' | 'eventCount'>
  readonly hub: {
    on(listener: (event: HubEvent) => void): () => void
    figures(cid: string): IngestFigures | undefined
  }
  /** Over all nodes, without the app's own previews. */
  readonly viewers: (cid: string) => number
  readonly channels: {
    get(
      cid: string,
    ):
      | { readonly row: { readonly uid: number; readonly name: string }; readonly nextTitle?: string | undefined }
      | undefined
  }
  /** A broadcast began with this title, which the next one does not have any more. */
  readonly titleTaken: (cid: string, title: string) => Promise<void>
  /** Tells of the events of pushes here. */
  readonly onTold: (listener: (event: LocalEvent) => void) => () => void
  readonly node: string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { broadcasts, store, hub, viewers, channels, titleTaken, onTold, node, clock, log } = options
  const running = new Map<string, Running>()
  const waiting: Change[] = []
  const inTurn = createSerial()
  let isEnding = false
  let cancelAgain = (): void => undefined

  /** Events of a push with their numbers, as far as there is room. */
  const numbered = (push: Running): NewEvent[] =>
    push.events
      .slice(0, maxBroadcastEvents - push.count)
      .map((event, index) => ({ ...event, number: push.count + index + 1 }))
  const note = async (pushes: readonly Running[]): Promise<void> => {
    const now = clock.now()
    const noted = pushes.flatMap((push) => {
      const { broadcastId, samples, measured, viewers, peak } = push
      if (broadcastId === undefined) return []
      const [taken, events] = [push.events.length, numbered(push)]
      const totals = { measured, viewers, peak, leftOut: push.leftOut + taken - events.length }
      return [{ push, taken, progress: { broadcastId, seen: now, totals, samples: samples.unstored(), events } }]
    })
    if (noted.length === 0) return
    await store.note(
      node,
      noted.map(({ progress }) => progress),
    )
    for (const { push, taken, progress } of noted) {
      push.samples.stored(progress.samples)
      push.events = push.events.slice(taken)
      push.count += progress.events.length
      push.leftOut += taken - progress.events.length
    }
  }
  const begin = async (push: Running): Promise<void> => {
    if (push.follows) await note([push.follows])
    push.follows = undefined
    const row = await broadcasts.begin(push)
    // Also where the begin is stored for a while, and this failed.
    if (row.began === push.at && push.title !== '') await titleTaken(push.cid, push.title)
    const { broadcastId, measured, viewers, peak, leftOut } = row
    push.samples.follow(await store.samplesOf(broadcastId))
    push.count = await store.eventCount(broadcastId)
    push.measured += measured
    push.viewers += viewers
    push.peak = Math.max(push.peak, peak)
    push.leftOut += leftOut
    push.broadcastId = broadcastId
  }
  /** Stores what waits, in its order; what fails is tried again. */
  const work = async (): Promise<void> => {
    cancelAgain()
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        if (!next.isEnd) await begin(next.push)
        else if (next.push.broadcastId !== undefined) {
          await note([next.push])
          await broadcasts.end(next.push.broadcastId, next.push.cid, next.at, next.how)
        }
        if (waiting[0] === next) waiting.shift()
      }
    } catch (error) {
      log.warn(
        { err: error, waiting: waiting.length },
        'begins and ends of broadcasts could not be stored; tried again',
      )
      if (!isEnding) cancelAgain = clock.after(againAfter, run)
    }
  }
  function run(): void {
    inBackground(inTurn(work), log, 'storing begins and ends of broadcasts')
  }
  const add = (change: Change): void => {
    waiting.push(change)
    if (waiting.length > maxWaiting) waiting.shift()
    run()
  }

  /** Ends broadcasts that no service sends any more. */
  const look = async (): Promise<void> => {
    // An end that could not be stored yet says more.
    if (waiting.length > 0) return
    const before = clock.now() - goneAfter
    for (const row of await store.open()) {
      const isMine = row.node === node
      if (isMine ? !running.has(row.cid) : row.seen < before) await broadcasts.lost(row)
    }
  }
  const noteLater = (pushes: readonly Running[], andLook: boolean): void => {
    const failed = 'noting figures of broadcasts'
    inBackground(
      inTurn(async () => {
        await note(pushes)
        if (andLook) await look()
      }),
      log,
      failed,
    )
  }
  let untilLook = 1
  const stopMeasuring = repeated(clock, measureEvery, () => {
    const due: Running[] = []
    for (const push of running.values()) {
      const figures = hub.figures(push.cid)
      if (figures) {
        const count = viewers(push.cid)
        push.samples.measure(clock.now(), { ...figures, viewers: count })
        push.measured += 1
        push.viewers += count
        push.peak = Math.max(push.peak, count)
      }
      if (--push.due > 0) continue
      push.due = noteEvery / measureEvery
      due.push(push)
    }
    const isTime = --untilLook === 0
    if (isTime) untilLook = noteEvery / measureEvery
    if (due.length > 0 || isTime) noteLater(due, isTime)
  })

  const started = (cid: string, at: number): void => {
    const channel = channels.get(cid)
    if (!channel) return
    const replaced = running.get(cid)
    const push: Running = {
      uid: channel.row.uid,
      cid,
      channel: channel.row.name,
      // Now: it ends with what was announced, and that is over as the push begins.
      title: channel.nextTitle ?? '',
      at,
      before: replaced && { at, how: 'replaced' },
      follows: replaced,
      samples: createSamples(maxSamples),
      kept: createBroadcastEvents(),
      events: [],
      ...nothingYet,
      due: noteEvery / measureEvery,
    }
    running.set(cid, push)
    add({ push, isEnd: false })
  }
  const ended = (cid: string, at: number, how: BroadcastEnd): void => {
    const push = running.get(cid)
    running.delete(cid)
    if (push) add({ push, isEnd: true, at, how })
  }
  const offHub = hub.on(({ type, cid, at, detail }) => {
    if (isEnding) return
    if (type === 'started') started(cid, at)
    // Another encoder takes over at once: that is no end.
    else if (type === 'ended') ended(cid, at, endOf(detail))
  })
  const offTold = onTold((event) => {
    const push = 'cid' in event ? running.get(event.cid) : undefined
    const happened = push?.kept(event)
    // What ends with the push is not of it: a hold is not over, and targets stop with it.
    if (!push || !happened || !hub.figures(push.cid)) return
    if (push.events.length < maxBroadcastEvents) push.events.push(happened)
    else push.leftOut += 1
  })

  return {
    /** Called first of all when the service ends: encoders are cut then, and may come back to the next start. */
    ending() {
      for (const cid of running.keys()) ended(cid, clock.now(), 'closing')
      isEnding = true
    },
    /** Resolves when what has happened so far is stored, or could not be. */
    settled: () => inTurn.idle(),
    async close() {
      offHub()
      offTold()
      stopMeasuring()
      cancelAgain()
      await inTurn.idle()
    },
  }
}
