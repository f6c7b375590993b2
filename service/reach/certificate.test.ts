import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isForHost } from '../../contract/certificate-host.ts'
import { loadCertificate, readCertificate } from './certificate.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

describe('a certificate', () => {
  it('is told with its names, and is unvouched when it vouches for itself', async () => {
    const made = await selfSigned(['live.example.com', '*.example.org', '192.0.2.7'])
    const read = readCertificate(made, Date.now())
    expect(read).toMatchObject({
      names: ['live.example.com', '*.example.org', '192.0.2.7'],
      issuer: 'live.example.com',
      vouched: false,
    })
    if (typeof read === 'string') throw new Error(read)
    expect(read.expires).toBeGreaterThan(Date.now())
    const asked = [
      'live.example.com',
      'LIVE.example.com',
      'a.example.org',
      'a.b.example.org',
      'example.org',
      '192.0.2.7',
    ]
    expect(asked.map((host) => isForHost(read, host))).toEqual([true, true, true, false, false, true])
  })

  it('does not become vouched by standing in the list of authorities itself', async () => {
    const made = await selfSigned(['live.example.com'])
    const read = readCertificate(made, Date.now(), () => [new X509Certificate(made.cert)])
    expect(read).toMatchObject({ vouched: false })
  })

  it('with another key, past its end, or unreadable is told apart', async () => {
    const [one, other, ended] = await Promise.all([
      selfSigned(['a.example']),
      selfSigned(['a.example']),
      selfSigned(['a.example'], { ended: true }),
    ])
    expect(readCertificate({ cert: one.cert, key: other.key }, Date.now())).toBe('otherKey')
    expect(readCertificate(ended, Date.now())).toBe('expired')
    expect(readCertificate({ cert: 'x', key: one.key }, Date.now())).toBe('unreadable')
    expect(readCertificate({ cert: one.cert, key: 'x' }, Date.now())).toBe('unreadable')
    const files = certificateFiles()
    const { certificateFile, keyFile } = files
    const faultOf = (change: Partial<typeof files> = {}) => loadCertificate({ ...files, ...change }, Date.now())
    expect(await faultOf()).toEqual({ reason: 'absent', file: certificateFile })
    files.write(one)
    const zero = '/dev/zero'
    expect(await faultOf({ certificateFile: zero, keyFile: zero })).toEqual({ reason: 'unreadable', file: zero })
    if (process.platform !== 'win32') {
      const fifo = `${keyFile}.fifo`
      execFileSync('mkfifo', [fifo])
      expect(await faultOf({ certificateFile: fifo })).toEqual({ reason: 'unreadable', file: fifo })
      expect(await faultOf({ keyFile: fifo })).toEqual({ reason: 'unreadableKey', file: fifo })
    }
    expect(await faultOf({ keyFile: `${keyFile}.none` })).toEqual({ reason: 'absent', file: `${keyFile}.none` })
    files.write({ cert: one.cert, key: other.key })
    expect(await faultOf()).toEqual({ reason: 'otherKey', file: keyFile })
    files.write({ cert: one.cert, key: 'x' })
    expect(await faultOf()).toEqual({ reason: 'unreadableKey', file: keyFile })
    // The certificate is whole: of one file for both it is the key that is missing in it.
    expect(await faultOf({ keyFile: certificateFile })).toEqual({ reason: 'unreadableKey', file: certificateFile })
    files.write({ cert: 'x', key: one.key })
    expect(await faultOf()).toEqual({ reason: 'unreadable', file: certificateFile })
    files.write(ended)
    expect(await faultOf()).toEqual({ reason: 'expired', file: certificateFile })
    files.remove()
  })
})
