import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { HoldState } from '../../contract/rpc/hold.ts'

/** Hold and delay as the app sets them for a new channel. */
export const makeHold = (change: Partial<HoldState> = {}): HoldState => ({
  holdSeconds: 120,
  delaySeconds: 0,
  holding: false,
  byHand: false,
  noPicture: false,
  since: null,
  until: null,
  lastHeld: null,
  lastHeldFor: null,
  goesOn: null,
  nextHeldUntil: null,
  delayed: null,
  delayChanging: false,
  delayFault: null,
  ...change,
})

/** As the service answers: what is null or off is absent. */
export const answered = (hold: HoldState) => ({
  code: 200,
  ret: {
    holdSeconds: hold.holdSeconds,
    delaySeconds: hold.delaySeconds,
    holding: hold.holding,
    ...(hold.byHand && { byHand: true }),
    ...(hold.noPicture && { noPicture: true }),
    ...(hold.since !== null && { since: hold.since }),
    ...(hold.until !== null && { until: hold.until }),
    ...(hold.lastHeld !== null && { lastHeld: hold.lastHeld }),
    ...(hold.lastHeldFor !== null && { lastHeldFor: hold.lastHeldFor }),
    ...(hold.goesOn !== null && { goesOn: hold.goesOn }),
    ...(hold.nextHeldUntil !== null && { nextHeldUntil: hold.nextHeldUntil }),
    ...(hold.delayed !== null && { delayed: hold.delayed }),
    ...(hold.delayChanging && { delayChanging: true }),
    ...(hold.delayFault !== null && { delayFault: hold.delayFault }),
  },
})

/** A scene of hold and delay for pictures and page tests. */
export type HoldScene = 'ready' | 'holding' | 'delayed' | 'growing' | 'off'

/** The state of a scene. */
export function makeHoldScene(scene: HoldScene, at: number): HoldState {
  switch (scene) {
    case 'ready':
      return makeHold({ lastHeld: at - 3_240_000, lastHeldFor: 9_000, delayed: 1_400 })
    case 'holding':
      return makeHold({ holding: true, since: at - 12_000, until: at + 108_000, delayed: 1_400 })
    case 'delayed':
      return makeHold({ delaySeconds: 30, delayed: 30_000 })
    case 'growing':
      return makeHold({ delaySeconds: 300, delayed: 74_200, delayChanging: true })
    case 'off':
      return makeHold({ holdSeconds: 0 })
  }
}

/** Hold in memory, of every channel the same. */
export function fakeHold(scene: HoldScene, at: number, tell: (event: AppEvent) => void) {
  const os = implement(rpc).operations.hold
  let hold = makeHoldScene(scene, at)
  const put = (profileId: string, cid: string, change: Partial<HoldState>) => {
    hold = { ...hold, ...change }
    tell({ type: 'hold', profileId, cid, at: Date.now(), hold })
    return answered(hold)
  }
  return {
    hold: os.hold.handler(() => answered(hold)),
    updateHold: os.updateHold.handler(({ input: { profileId, call } }) =>
      put(profileId, call.cid, {
        holdSeconds: call.holdSeconds ?? hold.holdSeconds,
        delaySeconds: call.delaySeconds ?? hold.delaySeconds,
        delayed: (call.delaySeconds ?? hold.delaySeconds) * 1_000,
      }),
    ),
    holdNow: os.holdNow.handler(({ input: { profileId, call } }) =>
      put(profileId, call.cid, { holding: true, byHand: true, since: Date.now() }),
    ),
    holdBack: os.holdBack.handler(({ input: { profileId, call } }) =>
      put(profileId, call.cid, { holding: false, byHand: false, since: null, until: null }),
    ),
    dumpDelay: os.dumpDelay.handler(() => ({ code: 200, ret: { discarded: 28_600 } })),
  }
}
