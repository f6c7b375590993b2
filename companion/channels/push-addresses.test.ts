import { expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { splitPushAddress } from './push-address.ts'
import { createPushAddresses } from './push-addresses.ts'

it('an address is split into server and key, with the time at which it expires', () => {
  const query = 'wsSecret=s&wsTime=1800000000'
  expect(splitPushAddress(`rtmp://h:1935/live/name?${query}`)).toEqual({
    url: `rtmp://h:1935/live/name?${query}`,
    server: 'rtmp://h:1935/live',
    key: `name?${query}`,
    expires: 1_800_000_000_000,
  })
  expect(splitPushAddress('RTMPS://h/a/b/name')).toMatchObject({ server: 'RTMPS://h/a/b', key: 'name', expires: null })
  for (const time of ['0', '180000000', 'x', '18000000000'])
    expect(splitPushAddress(`rtmp://h/live/name?wsTime=${time}`).expires).toBeNull()
})

it.each(['http://h/live/name', 'rtmp://h', 'rtmp://h/', 'rtmp://h/live/', 'rtmp://h/live/a b', 'rtmp://h/a/b#c', ''])(
  'what is no push address is refused: %j',
  (text) => {
    expect(() => splitPushAddress(text)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ kind: 'notOurs' }) }),
    )
  },
)

/** A service whose addresses are numbered and expire after `lasting` seconds. */
function stage(lasting = 60) {
  const clock = manualClock()
  const calls: [string, unknown][] = []
  const call = ({ path }: { readonly path: string }, args: unknown) => {
    calls.push([path, args])
    const expires = Math.floor(clock.now() / 1000) + lasting
    return Promise.resolve({ ret: { pushUrl: `rtmp://h/live/n${calls.length}?wsTime=${expires}` } })
  }
  return { clock, calls, client: { call } as unknown as Client, addresses: createPushAddresses(clock) }
}

it('the known address is shown while it is valid, and a new one after that', async () => {
  const { clock, calls, client, addresses } = stage()
  const first = await addresses.look('p', 'c', client)
  clock.advance(59_999)
  expect(await addresses.look('p', 'c', client)).toBe(first)
  clock.advance(1)
  expect((await addresses.look('p', 'c', client)).key).toContain('n2?')
  expect(calls).toEqual([1, 2].map(() => [live.address.path, { cid: 'c' }]))
})

it('addresses are kept by profile and channel', async () => {
  const { calls, client, addresses } = stage()
  for (const [profile, cid] of [
    ['p', 'c'],
    ['p', 'd'],
    ['q', 'c'],
  ] as const)
    await addresses.look(profile, cid, client)
  expect(calls).toHaveLength(3)
})

it('a renewed or replaced address is what is shown from then on', async () => {
  const { calls, client, addresses } = stage()
  await addresses.look('p', 'c', client)
  const renewed = await addresses.renew('p', 'c', client)
  expect(await addresses.look('p', 'c', client)).toBe(renewed)
  const replaced = await addresses.replace('p', 'c', client)
  expect(await addresses.look('p', 'c', client)).toBe(replaced)
  expect(calls.map(([path]) => path)).toEqual([live.address.path, live.address.path, local.replaceKey.path])
})

it('addresses are forgotten of one channel or of a whole profile, and of no other', async () => {
  const { calls, client, addresses } = stage()
  const look = async (): Promise<number> => {
    calls.splice(0)
    for (const [profile, cid] of [
      ['p', 'c'],
      ['p', 'd'],
      ['p2', 'c'],
    ] as const)
      await addresses.look(profile, cid, client)
    return calls.length
  }
  expect(await look()).toBe(3)
  addresses.forget('p', 'c')
  expect(await look()).toBe(1)
  addresses.forget('p')
  expect(await look()).toBe(2)
})

it('2,000 addresses are kept, and the one that was looked at longest ago is dropped', async () => {
  const { calls, client, addresses } = stage(3_600)
  for (let channel = 0; channel < 2_000; channel++) await addresses.look('p', `c${channel}`, client)
  await addresses.look('p', 'c0', client)
  await addresses.look('p', 'one more', client)
  expect(calls).toHaveLength(2_001)
  await addresses.look('p', 'c0', client)
  expect(calls).toHaveLength(2_001)
  await addresses.look('p', 'c1', client)
  expect(calls).toHaveLength(2_002)
})

it('an address that does not say when it expires is shown until it is forgotten', async () => {
  const clock = manualClock()
  let asked = 0
  const call = () => Promise.resolve({ ret: { pushUrl: `rtmp://h/live/n${++asked}` } })
  const addresses = createPushAddresses(clock)
  const look = async () => (await addresses.look('p', 'c', { call } as unknown as Client)).key
  expect(await look()).toBe('n1')
  clock.advance(365 * 86_400_000)
  expect(await look()).toBe('n1')
  addresses.forget('p', 'c')
  expect(await look()).toBe('n2')
})
