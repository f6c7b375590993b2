import { createPinia, setActivePinia } from 'pinia'
import { effectScope, nextTick, ref } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import type { AppEvent, ObsState } from '../../../contract/rpc/index.ts'
import { useScreenShield } from './screen-shield.ts'
import { useLive } from '../channels/live.ts'
import { useObs } from './obs.ts'
import { useStreamingNow } from './streaming-now.ts'

const tally = (profileId: string, status: number): AppEvent => ({
  type: 'tallies',
  profileId,
  at: 1,
  source: 'poll',
  fault: null,
  tallies: [{ cid: 'a', status, since: null, viewers: null, keyExpires: null }],
})
beforeEach(() => {
  setActivePinia(createPinia())
})

it('is so while a channel of any profile is on air, or OBS streams, wherever to', () => {
  const [now, live, obs] = [useStreamingNow(), useLive(), useObs()]
  const seen = [now.on]
  for (const [profileId, status] of [
    ['local', 0],
    ['local', 2],
    ['far', 1],
    ['far', 0],
    ['local', 3],
    ['local', 0],
  ] as const) {
    live.apply(tally(profileId, status), 1, [])
    seen.push(now.on)
  }
  for (const streaming of ['live', 'reconnecting', 'off', null] as const) {
    obs.state = { streaming } as ObsState
    seen.push(now.on)
  }
  expect(seen).toEqual([false, false, false, true, false, true, false, true, true, false, false])
})

it('hides what a part of the window shows, at once and when an answer comes late', async () => {
  const shielded: string[] = []
  Object.assign(globalThis, {
    window: { sidestage: { shield: () => shielded.push('on'), unshield: () => shielded.push('off') } },
  })
  const secret = ref<string | null>('the key')
  const scope = effectScope()
  const covered = scope.run(() =>
    useScreenShield(
      () => secret.value !== null,
      () => {
        secret.value = null
      },
    ),
  )
  expect(shielded).toEqual(['on'])
  useLive().apply(tally('local', 1), 1, [])
  expect([secret.value, covered?.value]).toEqual([null, true])
  secret.value = 'an answer that was under way'
  expect(secret.value).toBeNull()
  await nextTick()
  expect(shielded).toEqual(['on', 'off'])
  useLive().apply(tally('local', 0), 1, [])
  secret.value = 'asked for afterwards'
  expect([secret.value, covered?.value]).toEqual(['asked for afterwards', false])
  await nextTick()
  scope.stop()
  expect(shielded).toEqual(['on', 'off', 'on', 'off'])
})
