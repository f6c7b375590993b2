import type { AnswerOf } from '../../contract/field.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import { local } from '../../contract/operations/index.ts'
import type { holdFacts } from '../../contract/operations/hold.ts'
import type { WatchState } from '../../contract/watch.ts'
import { monotonicOf, type Clock } from '../../platform/clock.ts'
import type { Application } from '../applications.ts'
import { inBackground } from '../background.ts'
import type { Channels } from '../channels/channels.ts'
import { ownChannel } from '../channels/live-operations.ts'
import { serve, type Served } from '../http/dispatch.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import { Refused } from '../refusal.ts'
import { inForce } from '../storage/held-writes.ts'
import { createDelayedLines } from './delayed-lines.ts'
import type { HandHolds } from './hand-holds.ts'
import type { HoldSettings } from './hold-settings.ts'
import { createShownHolds } from './shown-holds.ts'

/** Hold and delay of a channel, as the contract has them. */
export type HoldFacts = AnswerOf<typeof holdFacts>

/** What the watch page is told of a hold. */
export type ShownHold = Pick<WatchState, 'held' | 'noPicture' | 'growsTo' | 'goesOn'>

/** Of a push: the hold that runs, and the last one. */
interface Holding {
  /** When, and by the clock that only passes. */
  began: { readonly at: number; readonly passed: number } | undefined
  last: { readonly at: number; readonly length: number } | undefined
}

/** Makes what viewers and targets join, the operations and the events of hold and delay. */
export async function createHolds(options: {
  readonly hub: Hub
  readonly settings: HoldSettings
  readonly hands: HandHolds
  readonly channels: Channels
  readonly clock: Clock
  readonly log: Log
  readonly dataDir: string
  /** Bytes of the disk that delayed media leaves free. */
  readonly reserve?: number | undefined
  readonly tell: (uid: number, event: Extract<LocalEvent, { readonly type: 'hold' }>) => void
  /** In a cluster: the push of a channel that another node has, or had until now. */
  readonly known?: ((cid: string) => { readonly held?: number } | undefined) | undefined
}) {
  const { hub, settings, hands, channels, clock, log, dataDir, reserve, tell, known } = options
  const holding = new Map<string, Holding>()
  /** The service ends: what is held by hand then is held when its push comes back. */
  let isEnding = false
  const over = (cid: string): void => {
    if (isEnding) return
    const wasAwaited = hands.awaitedUntil(cid) !== undefined
    inBackground(hands.end(cid), log, 'removing a hold by hand')
    if (wasAwaited) changed(cid)
  }
  const shown = createShownHolds(clock)

  const heldSince = (cid: string): number | undefined => lines.line(cid)?.state.byHand ?? hub.held(cid)?.since
  const facts = (cid: string): HoldFacts => {
    const { holdSeconds, delaySeconds } = settings.of(cid)
    const state = lines.line(cid)?.state
    const lost = hub.held(cid)
    const since = heldSince(cid)
    const last = holding.get(cid)?.last
    const nextHeldUntil = hands.awaitedUntil(cid)
    const goesOn = state && since === undefined ? (state.goesOn ?? shown.over(cid, state.delay)) : undefined
    return {
      holdSeconds,
      delaySeconds,
      holding: since !== undefined,
      ...(state?.byHand !== undefined && { byHand: true }),
      ...(state?.byHand !== undefined && state.noPictureSince !== undefined && { noPicture: true }),
      ...(since !== undefined && { since }),
      ...(lost && { until: lost.until }),
      ...(last && { lastHeld: last.at, lastHeldFor: last.length }),
      ...(last && goesOn !== undefined && { goesOn }),
      ...(nextHeldUntil !== undefined && { nextHeldUntil }),
      ...(state && { delayed: state.delay }),
      // While it is held by hand nothing grows: that begins with what comes after.
      ...(state?.isGrowing && state.byHand === undefined && { delayChanging: true }),
      ...(state?.fault && { delayFault: state.fault }),
    }
  }
  const changed = (cid: string): void => {
    const now = clock.now()
    // A hold that ends with its push is not one after which the picture went on.
    if (!hub.stream(cid)) holding.delete(cid)
    const present = holding.get(cid)
    const since = heldSince(cid)
    if (present && since === undefined && present.began !== undefined) {
      present.last = { at: present.began.at, length: Math.round(clock.monotonic() - present.began.passed) }
      present.began = undefined
    } else if (present && since !== undefined)
      present.began ??= { at: since, passed: monotonicOf(clock, Math.min(now, since)) }
    const uid = channels.get(cid)?.row.uid
    if (uid !== undefined) tell(uid, { type: 'hold', at: now, cid, ...facts(cid) })
  }
  const lines = await createDelayedLines({
    hub,
    clock,
    log,
    dataDir,
    delayOf: (cid) => settings.of(cid).delaySeconds * 1000,
    changed,
    reserve,
  })
  /** What a person did ends a hold by hand; an encoder that was lost connects again by itself. */
  const pushEnded = (cid: string, why: string | undefined): void => {
    if (why === 'stopped' || why === 'disabled' || why === 'deleted') over(cid)
    else if (!isEnding) hands.lost(cid)
  }
  /** The hold at the node that had the push, whose encoder returned here. */
  const heldThere = (cid: string): Holding['last'] => {
    const at = known?.(cid)?.held
    if (at === undefined) return undefined
    log.info({ cid }, 'the encoder is back, at this node: the hold at the other one is over')
    return { at, length: Math.max(0, clock.now() - at) }
  }
  const offHub = hub.on(({ type, cid, detail }) => {
    if (type === 'held') log.info({ cid }, 'the encoder was lost: its picture is held')
    else if (type === 'returned') log.info({ cid }, 'the encoder is back: the hold is over')
    else if (type === 'ended' && holding.get(cid)?.began !== undefined)
      log.info({ cid }, 'the push ended while it was held')
    if (type === 'held') shown.began(cid, hub.held(cid)?.since ?? clock.now())
    else if (type === 'returned' || type === 'ended' || type === 'replaced') shown.ended(cid)
    if (type === 'ended' || type === 'replaced') pushEnded(cid, detail)
    if (type === 'started') {
      const last = heldThere(cid)
      holding.set(cid, { began: undefined, last })
      const since = hands.returned(cid)
      if (since !== undefined) {
        log.info({ cid }, 'the push is back and still held by hand: no picture is sent')
        lines.line(cid)?.hold(since)
      } else if (last) changed(cid)
    } else if (type === 'held' || type === 'returned') changed(cid)
    else if (type === 'ended') {
      holding.delete(cid)
      const { holdSeconds, delaySeconds } = settings.of(cid)
      if (holdSeconds > 0 || delaySeconds > 0 || hands.isHeld(cid)) changed(cid)
    }
  })
  // What another node made of a hold whose push came here meanwhile.
  hands.onFollowed((cid, since) => {
    const there = lines.line(cid)
    if (!there?.isPushed || (there.state.byHand === undefined) === (since === undefined)) return
    if (since === undefined) there.back()
    else there.hold(since)
  })
  const offChannels = channels.on(({ row, since }, change) => {
    // Any node may be the one at which it comes back.
    if (known && change === 'tally' && !hub.stream(row.cid)) {
      if (since === undefined) hands.lost(row.cid)
      else hands.wentOn(row.cid)
    }
    if (row.disabled === 1 || change === 'deleted') {
      lines.cut(row.cid)
      over(row.cid)
    }
    if (change === 'deleted') shown.forget(row.cid)
    if (change === 'deleted') inBackground(settings.forget(row.cid), log, 'forgetting the hold of a channel')
  })
  const offSettings = settings.on((cid, isDelayGiven) => {
    const there = lines.line(cid)
    if (isDelayGiven && there) there.setDelay(settings.of(cid).delaySeconds * 1000)
    else changed(cid)
  })
  const line = (cid: string) => {
    const found = lines.line(cid)
    if (!found) throw new Refused(631, 'nothing is on air')
    return found
  }
  const own = (operation: (typeof local)[keyof typeof local], application: Application, cid: string): void =>
    void ownChannel(channels, operation, application, cid)

  const operations: Served[] = [
    serve(local.hold, ({ cid }, { application }) => {
      own(local.hold, application, cid)
      return { ret: facts(cid) }
    }),
    serve(local.updateHold, async ({ cid, holdSeconds, delaySeconds }, { application }) => {
      own(local.updateHold, application, cid)
      const after = await settings.update(cid, { holdSeconds, delaySeconds })
      log.info({ cid, ...after }, 'hold and delay were set')
      if (!channels.get(cid)) await settings.forget(cid)
      return { ret: facts(cid) }
    }),
    serve(local.holdNow, async ({ cid }, { application }) => {
      own(local.holdNow, application, cid)
      if (!hub.stream(cid)) throw new Refused(631, 'nothing is on air')
      const held = line(cid)
      held.hold()
      if (!hands.isHeld(cid)) log.info({ cid }, 'held by hand')
      const owed = await hands.begin(cid, held.state.byHand ?? clock.now())
      return { ret: facts(cid), ...inForce(owed) }
    }),
    serve(local.holdBack, async ({ cid }, { application }) => {
      own(local.holdBack, application, cid)
      const wasAwaited = hands.awaitedUntil(cid) !== undefined
      if (!wasAwaited) line(cid).back()
      if (hands.isHeld(cid)) log.info({ cid }, 'the hold by hand is over')
      const ended = hands.end(cid)
      if (wasAwaited) changed(cid)
      const owed = await ended
      return { ret: facts(cid), ...inForce(owed) }
    }),
    serve(local.dumpDelay, ({ cid }, { application }) => {
      own(local.dumpDelay, application, cid)
      const discarded = line(cid).dump()
      log.info({ cid, discarded }, 'what was delayed was dumped')
      return { ret: { discarded } }
    }),
  ]
  return {
    lines,
    operations,
    facts,
    /** Since when viewers see a held picture or none, and until when; later than the hold by the delay. */
    shownHold(cid: string): ShownHold {
      const line = lines.line(cid)
      if (!line) return {}
      const { byHand, noPictureSince, isGrowing, delay, goesOn } = line.state
      const lost = shown.seen(cid, delay)
      const held = byHand ?? line.sent.heldSince ?? noPictureSince ?? lost?.since
      if (held === undefined) return {}
      const until = byHand === undefined ? (goesOn ?? lost?.until) : undefined
      return {
        held,
        ...(noPictureSince !== undefined && { noPicture: true }),
        ...(isGrowing && byHand === undefined && { growsTo: delay }),
        ...(until !== undefined && { goesOn: until }),
      }
    },
    /** Called first of all when the service ends. */
    ending() {
      isEnding = true
    },
    async close() {
      offHub()
      offChannels()
      offSettings()
      await lines.close()
      await hands.close()
    },
  }
}
