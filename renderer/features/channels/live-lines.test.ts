import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { TargetState } from '../../../contract/rpc/targets.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { useLive } from './live.ts'

const at = { profileId: 'local', cid: 'c'.repeat(32) }
let live: ReturnType<typeof useLive>
beforeEach(() => {
  setActivePinia(createPinia())
  live = useLive()
})
const tell = (...events: AppEvent[]): void => {
  for (const event of events) live.apply(event, 0, [])
}
const push = (time: number, kind: 'started' | 'ended', detail: string | null = null): AppEvent => ({
  type: 'push',
  ...at,
  at: time,
  kind,
  detail,
  remedy: null,
})
const target = (time: number, state: TargetState['state']): AppEvent => {
  const { kbps, dropped, reconnects, tries, nextTry, reason, answer } = makeTarget(1, {})
  const now = { state, since: time, kbps, dropped, reconnects, tries, nextTry, reason, answer }
  return { type: 'target', ...at, at: time, targetId: 1, target: now }
}
const hold = (time: number, change: Parameters<typeof makeHold>[0]): AppEvent => ({
  type: 'hold',
  ...at,
  at: time,
  hold: makeHold(change),
})
const lines = (): string[] =>
  live
    .logOf(at.profileId, at.cid)
    .map(({ at: time, kind }) => `${time} ${kind}`)
    .toReversed()

it('a target that sends has its line in every push', () => {
  tell(push(1, 'started'), target(2, 'sending'), target(2, 'sending'), push(3, 'ended', 'stopped'))
  tell(push(4, 'started'), target(5, 'sending'))
  expect(lines()).toEqual(['1 started', '2 targetSending', '3 ended', '4 started', '5 targetSending'])
})

it('a target that does not get the push has one line, with the reason and the words of its server', () => {
  const failing = (time: number): AppEvent => {
    const event = target(time, 'retrying')
    if (event.type !== 'target' || !event.target) throw new Error('no target')
    return { ...event, target: { ...event.target, reason: 'refused', answer: 'Already publishing' } }
  }
  tell(push(1, 'started'), target(2, 'connecting'), failing(3), target(4, 'connecting'), failing(5))
  expect(lines()).toEqual(['1 started', '3 targetRetrying'])
  expect(live.logOf(at.profileId, at.cid)[0]).toMatchObject({ remedy: 'refused', answer: 'Already publishing' })
})

it('a target that takes nothing has a line, and one for what was left out once that is over', () => {
  const told = (time: number, state: TargetState['state'], kbps: number, dropped: number): AppEvent => {
    const event = target(time, state)
    if (event.type !== 'target' || !event.target) throw new Error('no target')
    return { ...event, target: { ...event.target, since: Math.min(time, 7_000), kbps, dropped } }
  }
  tell(push(1, 'started'), told(5_000, 'sending', 900, 0), told(9_000, 'stalled', 0, 0), told(11_000, 'stalled', 0, 0))
  tell(told(13_000, 'sending', 4_000, 40), told(15_000, 'sending', 900, 43), told(17_000, 'sending', 900, 43))
  // Frames that are left out while others are taken have one line a minute.
  tell(told(19_000, 'stalled', 500, 50), told(21_000, 'sending', 500, 50), told(23_000, 'sending', 500, 50))
  tell(told(90_000, 'sending', 500, 50))
  expect(lines()).toEqual([
    '1 started',
    '5000 targetSending',
    '7000 targetStalled',
    '7000 targetSending',
    '17000 targetDropped',
    '90000 targetDropped',
  ])
  expect(
    live
      .logOf(at.profileId, at.cid)
      .map(({ count }) => count)
      .slice(0, 2),
  ).toEqual([7, 43])
})

it('a held picture goes on where it did, and does not where its push ended with it', () => {
  tell(push(1_000, 'started'), hold(2_000, { holding: true, since: 2_000 }))
  tell(hold(5_000, { lastHeld: 2_000, lastHeldFor: 3_000 }), hold(6_000, { holding: true, since: 6_000 }))
  tell(hold(126_000, {}), push(126_000, 'ended', 'lost'))
  expect(lines()).toEqual(['1000 started', '2000 held', '5000 holdEnded', '6000 held', '126000 ended'])
})

it('has the loss of an encoder also while the picture is held by hand, as the last 10 minutes have', () => {
  const byHand = { holding: true, byHand: true, since: 2 }
  tell(push(1, 'started'), hold(2, byHand), hold(3, { ...byHand, until: 99 }), hold(4, byHand))
  tell(hold(5, { lastHeld: 2, lastHeldFor: 3 }))
  expect(lines()).toEqual(['1 started', '2 heldByHand', '3 held', '4 returned', '5 holdEnded'])
})

it('has the end of a hold also after a gap in what the service tells, and its begin once', () => {
  const lost = { holding: true, since: 2_000, until: 122_000 }
  tell(push(1, 'started'), hold(2_000, lost), { type: 'hold', ...at, at: 3_000, hold: null }, hold(4_000, lost))
  tell({ type: 'hold', ...at, at: 5_000, hold: null }, hold(35_000, { lastHeld: 2_000, lastHeldFor: 33_000 }))
  expect(lines()).toEqual(['1 started', '2000 held', '35000 holdEnded'])
})

it('has a hold by hand that comes back after the service was gone, and that viewers see no picture', () => {
  const byHand = { holding: true, byHand: true, since: 2 }
  tell(push(1, 'started'), hold(2, byHand), { type: 'hold', ...at, at: 3, hold: null }, hold(4, {}))
  tell(push(5, 'started'), hold(6, { ...byHand, noPicture: true }), hold(7, { lastHeld: 2, lastHeldFor: 5 }))
  expect(lines()).toEqual(['1 started', '2 heldByHand', '5 started', '6 heldWithoutPicture', '7 holdEnded'])
})

it('a target that waits for a picture is one that sends once it gets one', () => {
  tell(push(1, 'started'), target(2, 'connecting'), target(5, 'waiting'), target(5, 'waiting'))
  expect(lines()).toEqual(['1 started'])
  tell(target(9, 'sending'))
  expect(lines()).toEqual(['1 started', '9 targetSending'])
})

it('names in every push a target that has no key', () => {
  tell(push(1, 'started'), target(1, 'noKey'), push(2, 'ended', 'stopped'), target(2, 'off'))
  tell(push(4, 'started'), target(4, 'noKey'), target(5, 'connecting'), target(8, 'sending'))
  expect(lines()).toEqual(['1 started', '1 targetNoKey', '2 ended', '4 started', '4 targetNoKey', '8 targetSending'])
})
