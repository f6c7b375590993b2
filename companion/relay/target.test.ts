import { describe, expect, it } from 'vitest'
import { allowedReach, pinned, reachOf, type Resolve, systemResolve } from './target.ts'

const names: Record<string, string[]> = {
  'cdn.example': ['93.184.216.34'],
  'two.example': ['93.184.216.34', '127.0.0.1'],
  'lan.example': ['192.168.1.20'],
  'here.example': ['127.0.0.1'],
  'none.example': [],
}
const resolve: Resolve = (host) => (names[host] ? Promise.resolve(names[host]) : Promise.reject(new Error('ENOTFOUND')))
const pin = (url: string, ...allowed: ('public' | 'private' | 'loopback')[]): Promise<string> =>
  pinned(new URL(url), new Set(['public', ...allowed]), resolve)

describe('an address', () => {
  it('is classified in every way of writing it', () => {
    const cases: Record<string, string[]> = {
      public: ['93.184.216.34', '2606:2800:220:1::1'],
      private: [
        '10.0.0.1',
        '172.16.0.1',
        '172.31.255.255',
        '192.168.0.1',
        '100.64.0.1',
        'fd00::1',
        '::ffff:10.0.0.1',
        '::ffff:c0a8:1',
      ],
      loopback: ['127.0.0.1', '127.255.255.254', '::1', '[::1]', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
      forbidden: [
        '0.0.0.0',
        '169.254.169.254',
        '224.0.0.1',
        '255.255.255.255',
        '::',
        'fe80::1',
        'fe80::1%eth0',
        'ff02::1',
        '64:ff9b::7f00:1',
        '2002:7f00:1::',
        '::ffff:169.254.169.254',
        'localhost',
        '',
        '1.2.3',
      ],
    }
    for (const [reach, addresses] of Object.entries(cases))
      for (const address of addresses) expect(reachOf(address), address).toBe(reach)
  })

  it('hidden as a number, in octal or in hexadecimal is seen through', async () => {
    for (const host of ['2130706433', '0177.0.0.1', '0x7f.1', '0x7f000001', '127.1', '[::ffff:7f00:1]'])
      await expect(pin(`http://${host}/live.flv`), host).rejects.toMatchObject({ data: { kind: 'unreachable' } })
  })
})

describe('a media target', () => {
  it('is the one address that was checked', async () => {
    expect(await pin('http://cdn.example/live.flv')).toBe('93.184.216.34')
    expect(await pin('http://here.example/x', 'loopback')).toBe('127.0.0.1')
  })

  it('is refused when one of its addresses is not allowed, and when it has none', async () => {
    for (const url of [
      'http://two.example/x',
      'http://lan.example/x',
      'http://here.example/x',
      'http://none.example/x',
      'http://unknown.example/x',
      'http://169.254.169.254/latest/meta-data',
    ])
      await expect(pin(url), url).rejects.toMatchObject({ data: { kind: 'unreachable' } })
    await expect(pin('http://169.254.169.254/', 'private', 'loopback')).rejects.toMatchObject({
      data: { kind: 'unreachable' },
    })
  })

  it('is asked for by HTTP, without a log-in', async () => {
    for (const url of ['ftp://cdn.example/x', 'ws://cdn.example/x', 'file:///x', 'http://name:word@cdn.example/x'])
      await expect(pin(url, 'loopback'), url).rejects.toMatchObject({ data: { kind: 'unreachable' } })
  })

  it('may lie where the service itself lies, and no nearer', async () => {
    const allowed = async (service: string): Promise<string[]> =>
      [...(await allowedReach(new URL(service), resolve))].sort()
    expect(await allowed('https://cdn.example')).toEqual(['public'])
    expect(await allowed('https://lan.example')).toEqual(['private', 'public'])
    expect(await allowed('http://127.0.0.1:8710')).toEqual(['loopback', 'private', 'public'])
    expect(await allowed('https://two.example')).toEqual(['public'])
  })
})

it('the resolver of the system gives all addresses of a name, and rejects one that nobody knows', async () => {
  const found = await systemResolve('localhost')
  expect(found.length).toBeGreaterThan(0)
  for (const address of found) expect(reachOf(address)).toBe('loopback')
  await expect(systemResolve('no-such-host.invalid')).rejects.toThrow()
})
