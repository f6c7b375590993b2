import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { Profile } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createExtensionCheck } from './extension-check.ts'
import type { Told } from './profiles.ts'

const info = {
  version: '1.0.0',
  uid: 1,
  startedAt: 1,
  time: 1,
  timeZone: 'UTC',
  dataDir: '/d',
  diskFree: 1,
  recordingReserve: 1,
  listeners: [],
}
const answered = (more: object = {}): string => JSON.stringify({ code: 200, ret: { ...info, ...more } })

/** What is kept after one question; `asked` when nothing is. */
async function keptOf(
  answer: { readonly status?: number; readonly text?: string } | Error,
  liveUrl = 'https://live.example',
): Promise<Told | undefined | 'asked'> {
  const profile = { id: 'h', kind: 'hosted', liveUrl, messagingUrl: liveUrl, appKey: 'k' } as Profile
  let kept: Told | undefined | 'asked' = 'asked'
  const exchange = (operation: unknown) => {
    expect(operation).toBe(local.info)
    if (answer instanceof Error) return Promise.reject(answer)
    return Promise.resolve({ answer: { status: 200, text: answered(), headers: {}, ...answer } })
  }
  const { ask } = createExtensionCheck({
    profiles: {
      find: () => profile,
      told: (place, told) => {
        expect(place).toBe(profile)
        kept = told
        return Promise.resolve(true)
      },
    },
    client: () => Promise.resolve({ exchange } as unknown as Client),
    clock: manualClock(),
    log: () => undefined,
  })
  await ask('h')
  return kept
}

it('a service that describes itself has them, also one of an earlier version that tells no addresses', async () => {
  expect(await keptOf({})).toEqual({ media: null, link: null })
  expect(await keptOf({ text: answered({ media: 'https://m.example', link: 'wss://m.example/link' }) })).toEqual({
    media: 'https://m.example',
    link: 'wss://m.example/link',
  })
})

it.each([
  ['knows no such path', { status: 404, text: '{"code":404,"msg":"not found"}' }],
  ['refuses it with a code', { text: '{"code":414,"desc":"unknown"}' }],
  ['answers with a page', { text: '<html></html>' }],
  ['answers anything with success', { text: '{"code":200,"ret":{}}' }],
  ['leads elsewhere', { status: 302, text: '' }],
  ['answers without an end', new Failure('notOurs', 'the answer is larger')],
])('one that %s has none', async (_what, answer) => {
  expect(await keptOf(answer)).toBeUndefined()
})

it.each([
  ['is not reached', new Failure('unreachable', 'away')],
  ['is away behind its proxy', { status: 503, text: 'no server' }],
  ['limits calls', { status: 429, text: '{"code":429}' }],
  ['refuses the signature', { text: '{"code":409,"msg":"CurTime"}' }],
  ['limits the application', { text: '{"code":416,"msg":"busy"}' }],
  ['fails', { text: '{"code":501,"msg":"fault 7"}' }],
])('of one that %s stays what was known', async (_what, answer) => {
  expect(await keptOf(answer)).toBe('asked')
})

it.each([
  ['no encryption', { media: 'http://m.example', link: 'ws://m.example/link' }],
  ['an address of this computer', { media: 'http://127.0.0.1:8701', link: 'ws://127.0.0.1:8701/link' }],
  ['another scheme', { media: 'file:///etc', link: 'https://m.example/link' }],
  ['a password', { media: 'https://u:p@m.example', link: 'wss://u:p@m.example/link' }],
  ['no address', { media: '', link: 'link' }],
])('an address of a service elsewhere with %s is not used', async (_what, told) => {
  expect(await keptOf({ text: answered(told) })).toEqual({ media: null, link: null })
})

it('a service on this computer may tell addresses of this computer', async () => {
  const told = { media: 'http://127.0.0.1:8701', link: 'ws://127.0.0.1:8701/link' }
  expect(await keptOf({ text: answered(told) }, 'http://127.0.0.1:8700')).toEqual(told)
})

/** A service whose answers a test gives, asked again as soon as it told something new. */
function stage() {
  const clock = manualClock()
  const profile = { id: 'h', kind: 'hosted', liveUrl: 'https://live.example', messagingUrl: '', appKey: 'k' } as Profile
  const state = { profile: profile as Profile | undefined, told: undefined as string | undefined, isNews: true }
  const answers: (() => void)[] = []
  const asked: number[] = []
  const logged: string[] = []
  const check = createExtensionCheck({
    profiles: {
      find: () => {
        if (!state.profile) throw new Failure('absent', 'no such profile')
        return state.profile
      },
      told: () => {
        if (state.isNews) check.askSoon('h')
        return Promise.resolve(state.isNews)
      },
    },
    client: () => {
      asked.push(clock.monotonic())
      const exchange = () =>
        new Promise((resolve) => {
          answers.push(() => resolve({ answer: { status: 200, text: answered(), headers: {} } }))
        })
      return Promise.resolve({ exchange } as unknown as Client)
    },
    clock,
    log: (line) => void logged.push(line),
  })
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await setImmediate()
  }
  return {
    clock,
    state,
    check,
    asked,
    logged,
    turns,
    answer: async () => {
      await turns()
      answers.shift()?.()
      await turns()
    },
  }
}

it('a service that tells now this, now that is asked after growing pauses, until it was calm', async () => {
  const on = stage()
  on.check.askSoon('h')
  const pauses: number[] = []
  for (let changes = 0; changes < 14; changes++) {
    const before = on.asked.length
    await on.answer()
    let waited = 0
    while (on.asked.length === before) {
      on.clock.advance(500)
      waited += 500
      await on.turns()
    }
    pauses.push(waited / 1_000)
  }
  expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600])
  // The same as before: nothing changed.
  on.state.isNews = false
  await on.answer()
  on.clock.advance(1_800_001)
  on.state.isNews = true
  const before = on.asked.length
  on.check.askSoon('h')
  await on.answer()
  expect(on.asked.length).toBe(before + 2)
  on.state.isNews = false
  await on.answer()
})

it('a service is asked one question at a time, and once more where it was wanted meanwhile', async () => {
  const on = stage()
  on.state.isNews = false
  for (let times = 0; times < 20; times++) on.check.askSoon('h')
  await on.turns()
  expect(on.asked).toHaveLength(1)
  await on.answer()
  expect(on.asked).toHaveLength(2)
  await on.answer()
  expect(on.asked).toHaveLength(2)
})

it('another service is asked at once where the one before had a pause, and one that is gone not at all', async () => {
  const on = stage()
  on.check.askSoon('h')
  for (let changes = 0; changes < 3; changes++) {
    await on.answer()
    on.clock.advance(1_000)
    await on.turns()
  }
  const before = on.asked.length
  on.check.askSoon('h')
  await on.turns()
  expect([on.asked.length, on.clock.waiting()]).toEqual([before, 1])
  on.state.profile = { ...on.state.profile!, liveUrl: 'https://other.example' }
  on.state.isNews = false
  on.check.askSoon('h')
  await on.answer()
  expect(on.asked.length).toBe(before + 1)
  on.state.profile = undefined
  on.check.askSoon('h')
  on.clock.advance(600_000)
  await on.turns()
  expect([on.asked.length, on.logged]).toEqual([before + 1, []])
})
