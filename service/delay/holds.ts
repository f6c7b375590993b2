import type { AnswerOf } from '../../contract/field.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import { local } from '../../contract/operations/index.ts'
import type { holdFacts } from '../../contract/operations/hold.ts'
import type { WatchState } from '../../contract/watch.ts'
import type { Clock } from '../../platform/clock.ts'
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
}) {
  const { hub, settings, hands, channels, clock, log, dataDir, reserve, tell } = options
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
    return {
      holdSeconds,
      delaySeconds,
      holding: since !== undefined,
      ...(state?.byHand !== undefined && { byHand: true }),
      ...(state?.noPicture && { noPicture: true }),
      ...(since !== undefined && { since }),
      ...(lost && { until: lost.until }),
      ...(last && { lastHeld: last.at, lastHeldFor: last.length }),
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
    const known = holding.get(cid)
    const since = heldSince(cid)
    if (known && since === undefined && known.began !== undefined) {
      known.last = { at: known.began.at, length: Math.round(clock.monotonic() - known.began.passed) }
      known.began = undefined
    } else if (known && since !== undefined)
      known.began ??= { at: since, passed: clock.monotonic() - Math.max(0, now - since) }
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
  const offHub = hub.on(({ type, cid, detail }) => {
    if (type === 'held') log.info({ cid }, 'the encoder was lost: its picture is held')
    else if (type === 'returned') log.info({ cid }, 'the encoder is back: the hold is over')
    else if (type === 'ended' && holding.get(cid)?.began !== undefined)
      log.info({ cid }, 'the push ended while it was held')
    if (type === 'held') shown.began(cid, hub.held(cid)?.since ?? clock.now())
    else if (type === 'returned' || type === 'ended' || type === 'replaced') shown.over(cid)
    if (type === 'ended' || type === 'replaced') pushEnded(cid, detail)
    if (type === 'started') {
      holding.set(cid, { began: undefined, last: undefined })
      const since = hands.returned(cid)
      if (since !== undefined) {
        log.info({ cid }, 'the push is back and still held by hand: viewers see no picture')
        lines.line(cid)?.hold(since)
      }
    } else if (type === 'held' || type === 'returned') changed(cid)
    else if (type === 'ended') {
      holding.delete(cid)
      const { holdSeconds, delaySeconds } = settings.of(cid)
      if (holdSeconds > 0 || delaySeconds > 0 || hands.isHeld(cid)) changed(cid)
    }
  })
  const offChannels = channels.on(({ row }, change) => {
    if (row.disabled === 1 || change === 'deleted') {
      lines.cut(row.cid)
      over(row.cid)
    }
    if (change === 'deleted') shown.forget(row.cid)
    if (change === 'deleted') inBackground(settings.forget(row.cid), log, 'forgetting the hold of a channel')
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
      const before = settings.of(cid)
      const after = {
        holdSeconds: holdSeconds ?? before.holdSeconds,
        delaySeconds: delaySeconds ?? before.delaySeconds,
      }
      await settings.set(cid, after)
      log.info({ cid, ...after }, 'hold and delay were set')
      if (!channels.get(cid)) await settings.forget(cid)
      if (delaySeconds !== undefined) lines.line(cid)?.setDelay(delaySeconds * 1000)
      else changed(cid)
      if (delaySeconds !== undefined && !lines.line(cid)) changed(cid)
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
    /** Since when viewers see a held picture or none, and to which delay it grows; later than the hold by the delay. */
    shownHold(cid: string): Pick<WatchState, 'held' | 'noPicture' | 'growsTo'> {
      const line = lines.line(cid)
      if (!line) return {}
      const { byHand, noPicture, isGrowing, delay } = line.state
      const held = byHand ?? line.sent.heldSince ?? shown.since(cid, delay)
      if (held === undefined) return {}
      return {
        held,
        ...(noPicture && { noPicture }),
        ...(isGrowing && byHand === undefined && { growsTo: delay }),
      }
    },
    /** Called first of all when the service ends. */
    ending() {
      isEnding = true
    },
    async close() {
      offHub()
      offChannels()
      await lines.close()
      await hands.close()
    },
  }
}
