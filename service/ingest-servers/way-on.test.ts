import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createWayOn } from './way-on.ts'

const begin = (way: string | undefined, host = '0.0.0.0') => {
  const clock = manualClock()
  const asked: string[] = []
  const warnings: object[] = []
  let addresses: readonly string[] | undefined = ['2001:db8::5', '10.0.0.5']
  const on = createWayOn({
    way,
    ownRtmp: () => ({ host, port: 1935 }),
    resolve(name) {
      asked.push(name)
      return addresses ? Promise.resolve(addresses) : Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }))
    },
    clock,
    log: { warn: (about: object) => void warnings.push(about) },
  })
  return { clock, asked, warnings, on, found: (now: readonly string[] | undefined) => (addresses = now) }
}

it('is the own listener, at the address at which the server asked where it is bound to all', async () => {
  for (const [host, local, root] of [
    ['0.0.0.0', '::ffff:10.0.0.7', 'rtmp://10.0.0.7:1935'],
    ['::', '2001:db8::7', 'rtmp://[2001:db8::7]:1935'],
    ['0.0.0.0', '127.0.0.1', 'rtmp://127.0.0.1:1935'],
    ['::', '::1', 'rtmp://127.0.0.1:1935'],
    ['10.0.0.8', '127.0.0.1', 'rtmp://10.0.0.8:1935'],
    ['localhost', '10.0.0.7', 'rtmp://127.0.0.1:1935'],
  ] as const) {
    const { on, asked } = begin(undefined, host)
    expect([on.root(local), await on.numeric(local)]).toEqual([root, root])
    expect(asked).toEqual([])
  }
})

it('has an address in the place of a name, looked up again after a while and after each failure', async () => {
  const { on, asked, found, clock, warnings } = begin('rtmp://in.example.com:1936')
  expect(on.root(undefined)).toBe('rtmp://in.example.com:1936')
  found(undefined)
  expect(await on.numeric(undefined)).toBeUndefined()
  expect(await on.numeric(undefined)).toBeUndefined()
  expect(warnings).toEqual([
    { name: 'in.example.com', reason: 'ENOTFOUND' },
    { name: 'in.example.com', reason: 'ENOTFOUND' },
  ])
  found(['2001:db8::5', '10.0.0.5'])
  expect(await Promise.all([on.numeric(undefined), on.numeric(undefined)])).toEqual([
    'rtmp://10.0.0.5:1936',
    'rtmp://10.0.0.5:1936',
  ])
  expect(asked).toHaveLength(3)
  found(['2001:db8::6'])
  clock.advance(29_999)
  expect(await on.numeric(undefined)).toBe('rtmp://10.0.0.5:1936')
  clock.advance(1)
  expect(await on.numeric(undefined)).toBe('rtmp://[2001:db8::6]:1936')
  expect(asked).toHaveLength(4)
})

it('an address that was given stays as it is', async () => {
  for (const way of ['rtmp://10.0.0.9', 'rtmps://[2001:db8::9]:1936']) {
    const { on, asked } = begin(way)
    expect(await on.numeric('127.0.0.1')).toBe(way)
    expect(asked).toEqual([])
  }
})
