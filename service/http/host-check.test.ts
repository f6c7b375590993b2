import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHostCheck } from './host-check.ts'

/** Whether a request to an address and a port is accepted with these Host headers. */
function accepts(
  hosts: readonly string[],
  { port = 8711, address = '192.0.2.7', publicHosts = [] as readonly string[] } = {},
): boolean {
  const socket = new Socket()
  Object.defineProperties(socket, { localPort: { value: port }, localAddress: { value: address } })
  const request = new IncomingMessage(socket)
  if (hosts[0] !== undefined) request.headers.host = hosts[0]
  request.rawHeaders = hosts.flatMap((host) => ['HOST', host])
  return createHostCheck(publicHosts)(request)
}

describe('a Host header', () => {
  it('names this computer or the address that was dialled, with the port', () => {
    for (const host of ['localhost:8711', '127.0.0.1:8711', '[::1]:8711', 'LocalHost:8711', '192.0.2.7:8711'])
      expect(accepts([host]), host).toBe(true)
    for (const host of ['localhost', '192.0.2.7', '192.0.2.8:8711', 'localhost:8712', ''])
      expect(accepts([host]), host).toBe(false)
  })

  it('may leave the port out where it is 80', () => {
    for (const host of ['localhost', 'localhost:80', '[::1]']) expect(accepts([host], { port: 80 }), host).toBe(true)
    expect(accepts(['localhost:8711'], { port: 80 })).toBe(false)
  })

  it('names an IPv6 address in brackets, and one that carries an IPv4 address as that', () => {
    expect(accepts(['[2001:db8::1]:8711'], { address: '2001:db8::1' })).toBe(true)
    expect(accepts(['2001:db8::1:8711'], { address: '2001:db8::1' })).toBe(false)
    expect(accepts(['192.0.2.7:8711'], { address: '::ffff:192.0.2.7' })).toBe(true)
  })

  it('names a public host with any port or none', () => {
    const publicHosts = ['Studio.example', '[2001:db8::5]']
    for (const host of ['studio.example', 'STUDIO.example:443', '[2001:db8::5]:9', '[2001:db8::5]'])
      expect(accepts([host], { publicHosts }), host).toBe(true)
    for (const host of ['x.studio.example', 'studio.example:x', 'studio.example:123456'])
      expect(accepts([host], { publicHosts }), host).toBe(false)
  })

  it('may have the dot of a full public name, once, and is no other host by it', () => {
    const publicHosts = ['live.example.com', '192.0.2.9']
    for (const host of ['live.example.com.', 'Live.Example.com.:8443'])
      expect(accepts([host], { publicHosts }), host).toBe(true)
    for (const host of [
      'live.example.com..',
      'live.example.com.:x',
      'live.example.com.evil.example',
      'live.example.com.evil.example.',
      'evil.example.',
      '.live.example.com.',
      'live.example.com:443.',
      '192.0.2.9.',
      '127.0.0.1.:8711',
      '[::1].:8711',
      'localhost.',
      'localhost.:8711',
      '.',
    ])
      expect(accepts([host], { publicHosts }), host).toBe(false)
    for (const host of ['live.example.com.', 'live.example.com'])
      expect(accepts([host], { publicHosts: ['live.example.com.'] }), host).toBe(true)
  })

  it('comes once', () => {
    expect(accepts([])).toBe(false)
    expect(accepts(['localhost:8711', 'localhost:8711'])).toBe(false)
  })

  it('is compared with the port of its own connection, where one check serves several', () => {
    const check = createHostCheck(['studio.example'])
    const asked = (host: string, port: number): boolean => {
      const socket = new Socket()
      Object.defineProperties(socket, { localPort: { value: port }, localAddress: { value: '127.0.0.1' } })
      const request = new IncomingMessage(socket)
      request.headers.host = host
      request.rawHeaders = ['host', host]
      return check(request)
    }
    expect([asked('localhost:8711', 8711), asked('localhost:8711', 8712), asked('localhost:8712', 8712)]).toEqual([
      true,
      false,
      true,
    ])
    expect([asked('localhost:8711', 8711), asked('studio.example:1', 8711)]).toEqual([true, true])
  })

  it('of port 80 names no other port, and the dialled address there with it', () => {
    for (const host of ['127.0.0.1', '127.0.0.1:80', '[::1]:80', '192.0.2.7:80'])
      expect(accepts([host], { port: 80 }), host).toBe(true)
    for (const host of ['localhost:81', '127.0.0.1:800', '192.0.2.7'])
      expect(accepts([host], { port: 80 }), host).toBe(false)
    expect(accepts(['localhost:80'])).toBe(false)
  })

  it('is counted by its own name, not by others that are as long', () => {
    const socket = new Socket()
    Object.defineProperties(socket, { localPort: { value: 8711 }, localAddress: { value: '192.0.2.7' } })
    const request = new IncomingMessage(socket)
    request.headers.host = 'localhost:8711'
    request.rawHeaders = ['Date', 'host', 'Host', 'localhost:8711', 'Vary', 'host']
    expect(createHostCheck()(request)).toBe(true)
  })
})
