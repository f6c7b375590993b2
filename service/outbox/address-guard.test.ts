import { describe, expect, it } from 'vitest'
import { addressFault, createAddressGuard } from './address-guard.ts'

const names: Record<string, string[]> = {
  'receiver.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
  'lan.example': ['192.168.1.20'],
  localhost: ['127.0.0.1', '::1'],
  'metadata.example': ['169.254.169.254'],
  'both.example': ['93.184.215.14', '169.254.169.254'],
  'nobody.example': [],
}
const guard = createAddressGuard({
  resolve: (host) => (names[host] ? Promise.resolve(names[host]) : Promise.reject(new Error('ENOTFOUND'))),
  ownPorts: () => [8710, 8711, 1935],
  ownAddresses: () => ['192.168.1.5', 'fd12::5'],
})
const why = async (address: string, local = true): Promise<string> => {
  const outcome = await guard.check(address, local)
  return outcome.ok ? 'admitted' : outcome.why
}

describe('an address of a callback', () => {
  it('is http or https, and nothing else', async () => {
    expect(await why('http://receiver.example/x')).toBe('admitted')
    expect(await why('https://receiver.example:8443/x?y=1')).toBe('admitted')
    for (const address of [
      'file:///etc/passwd',
      'gopher://receiver.example/',
      'httpx://receiver.example/',
      'ftp://receiver.example',
      'http:receiver.example',
      'http://',
      '//receiver.example',
      '',
    ])
      expect(await why(address), address).toBe('shape')
  })

  it('carries no credentials, no fragment, no white space and no backslash', async () => {
    for (const address of [
      'http://user:pass@receiver.example/',
      'http://user@receiver.example/',
      'http://@receiver.example/',
      'http://receiver.example/#part',
      'http://receiver.example/#',
      'http://receiver.example/a b',
      ' http://receiver.example/',
      'http://receiver.example\\@127.0.0.1/',
      'http://rece\tiver.example/',
      'http://receiver.example/\u0000',
      'http://receiver.example:0/',
      'http://receiver.example:65536/',
    ])
      expect(await why(address), JSON.stringify(address)).toBe('shape')
  })

  it('writes an IPv4 address as four decimal numbers only', async () => {
    for (const host of [
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '127.1',
      '127.0.1',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '169.254.43518',
    ])
      expect(await why(`http://${host}/`), host).toBe('shape')
    expect(await why('http://127.0.0.1:9000/')).toBe('admitted')
  })

  it('is never a link-local, multicast, unspecified, broadcast, reserved or metadata address, whatever is allowed', async () => {
    for (const host of [
      '169.254.169.254',
      '169.254.1.1',
      '100.100.100.200',
      '0.0.0.0',
      '0.1.2.3',
      '224.0.0.1',
      '239.255.255.250',
      '255.255.255.255',
      '240.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '[::]',
      '[fe80::1]',
      '[febf::1]',
      '[ff02::1]',
      '[fd00:ec2::254]',
      '[FD00:0EC2:0:0:0:0:0:0254]',
      '[fec0::1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:7f00:1::]',
      '[2001::1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:169.254.169.254]',
      '[0:0:0:0:0:ffff:a9fe:a9fe]',
      '[::ffff:8.8.8.8]',
      '[::ffff:0:127.0.0.1]',
    ])
      expect(await why(`http://${host}:9000/`, true), host).toBe('place')
  })

  it('is this computer or its network only where that is allowed', async () => {
    for (const host of [
      '127.0.0.1',
      '127.8.8.8',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.255.255',
      '100.64.0.1',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[fc00::1]',
      'localhost',
      'lan.example',
    ]) {
      expect(await why(`http://${host}:9000/`, true), host).toBe('admitted')
      expect(await why(`http://${host}:9000/`, false), host).toBe('place')
    }
    for (const host of ['172.15.0.1', '172.32.0.1', '11.0.0.1', '100.128.0.1', '8.8.8.8', '[2606:4700::1111]'])
      expect(await why(`http://${host}/`, false), host).toBe('admitted')
  })

  it('is never a listener of the service itself', async () => {
    for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]', '192.168.1.5', '[fd12::5]']) {
      for (const port of [8710, 8711, 1935])
        expect(await why(`http://${host}:${port}/`, true), `${host}:${port}`).toBe('place')
      expect(await why(`http://${host}:8712/`, true), host).toBe('admitted')
    }
    expect(await why('http://192.168.1.20:8710/')).toBe('admitted')
  })

  it('is judged by what its name resolves to: every address must be acceptable', async () => {
    expect(await why('http://metadata.example/')).toBe('place')
    expect(await why('http://both.example/')).toBe('place')
    expect(await why('http://nobody.example/')).toBe('nowhere')
    expect(await why('http://unknown.example/')).toBe('nowhere')
    const outcome = await guard.check('http://receiver.example/', false)
    expect(outcome).toMatchObject({ ok: true, addresses: names['receiver.example'] })
  })
})

describe('the reason why an address is refused', () => {
  const reasonAt = async (address: string, local = true): Promise<unknown> => {
    const outcome = await guard.check(address, local)
    return outcome.ok ? 'admitted' : outcome.reason
  }
  const plain = (code: string) => ({ code, params: {} })

  it.each([
    ['http://receiver.example/a b', 'whiteSpace'],
    ['http://receiver.example\\x', 'whiteSpace'],
    ['ftp://receiver.example/', 'notUrl'],
    ['http://', 'notUrl'],
    ['http://receiver.example:65536/', 'notUrl'],
    ['http://user:pass@receiver.example/', 'credentials'],
    ['http://@receiver.example/', 'credentials'],
    ['http://receiver.example/#', 'fragment'],
    ['http://receiver.example:0/', 'badPort'],
    ['http://127.1/', 'ipv4'],
  ])('of the shape of %j is %s, with or without a look-up', async (address, code) => {
    expect(await reasonAt(address)).toEqual(plain(code))
    expect(addressFault(address)).toEqual(plain(code))
  })

  it.each([
    ['http://nobody.example/', true, 'nowhere', 'nobody.example'],
    ['http://metadata.example/', true, 'metadata', 'metadata.example'],
    ['http://[::ffff:8.8.8.8]/', true, 'mapped', '::ffff:808:808'],
    ['http://224.0.0.1/', true, 'reserved', '224.0.0.1'],
    ['http://localhost:8710/', true, 'ownPort', 'localhost'],
    ['http://localhost:9000/', false, 'thisComputer', 'localhost'],
    ['http://lan.example/', false, 'localNetwork', 'lan.example'],
    ['http://192.168.1.5:1935/', false, 'ownPort', '192.168.1.5'],
  ])('of the place of %j, local %s, is %s with the host', async (address, local, code, host) => {
    expect(await reasonAt(address, local)).toEqual({ code, params: { host } })
    // That takes a look-up.
    expect(addressFault(address)).toBeUndefined()
  })

  it.each([
    [80, 'http://127.0.0.1/', 'https://127.0.0.1/'],
    [443, 'https://127.0.0.1/', 'http://127.0.0.1/'],
  ])('knows that a listener on port %i is the one of %s, and not of %s', async (port, own, other) => {
    const noting = createAddressGuard({
      resolve: () => Promise.resolve([]),
      ownPorts: () => [port],
      ownAddresses: () => [],
    })
    expect(await noting.check(own, true)).toMatchObject({ ok: false, reason: { code: 'ownPort' } })
    expect(await noting.check(other, true)).toMatchObject({ ok: true })
  })

  it('is none for an address in any letters, whose port is kept', async () => {
    const outcome = await guard.check('HTTP://Receiver.Example:8443/x', false)
    expect(outcome.ok && outcome.url.href).toBe('http://receiver.example:8443/x')
  })

  it('asks the resolver for a name, without brackets for an address, and for no address at all', async () => {
    const names: string[] = []
    const noting = createAddressGuard({
      resolve(host) {
        names.push(host)
        return Promise.resolve(['93.184.215.14'])
      },
      ownPorts: () => [],
      ownAddresses: () => [],
    })
    expect(await noting.check('http://[::1]:9000/', true)).toMatchObject({ ok: true, addresses: ['::1'] })
    expect(await noting.check('http://127.0.0.1:9000/', true)).toMatchObject({ ok: true, addresses: ['127.0.0.1'] })
    await noting.check('http://receiver.example/', true)
    expect(names).toEqual(['receiver.example'])
  })
})
