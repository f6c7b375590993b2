import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { CertificateFault, makeCertificate, ownAddresses, readCertificate } from './certificate.ts'

const now = Date.UTC(2026, 10, 27)
const day = 86_400_000
const faultOf = (work: () => unknown): CertificateFault => {
  try {
    work()
  } catch (error) {
    if (error instanceof CertificateFault) return error
    throw error
  }
  return expect.fail('it was taken')
}

it('makes a certificate for a year from an hour ago, for names, this computer and its addresses', async () => {
  const made = await makeCertificate(['stage.example', '203.0.113.7', '2001:db8::7'], now)
  const read = new X509Certificate(made.cert)
  expect(read.validFromDate.getTime()).toBe(now - 3_600_000)
  expect(read.ca).toBe(false)
  const { fingerprint, until, names } = readCertificate(made, now)
  expect(until).toBe(now + 365 * day)
  expect(fingerprint).toBe(read.fingerprint256)
  for (const name of ['localhost', '127.0.0.1', 'stage.example', '203.0.113.7', ...ownAddresses()])
    expect(names).toContain(name)
  expect(read.checkIP('203.0.113.7')).toBe('203.0.113.7')
  expect(read.checkIP('2001:db8::7')).toBeDefined()
  expect(read.checkHost('stage.example')).toBe('stage.example')
})

it('takes a certificate until its last moment, and says that one has ended', async () => {
  const made = await makeCertificate([], now)
  const until = now + 365 * day
  expect(readCertificate(made, until - 1).until).toBe(until)
  expect(faultOf(() => readCertificate(made, until))).toMatchObject({
    reason: { code: 'ended' },
    data: { kind: 'certificate', reason: { code: 'ended' } },
  })
})

it('says that a key belongs to another certificate, and what is wrong with what is none', async () => {
  const [one, other] = [await makeCertificate([], now), await makeCertificate([], now)]
  expect(faultOf(() => readCertificate({ cert: one.cert, key: other.key }, now)).reason.code).toBe('otherKey')
  for (const wrong of [
    { cert: 'none', key: one.key },
    { cert: one.cert, key: 'none' },
  ]) {
    const { code, params } = faultOf(() => readCertificate(wrong, now)).reason
    expect([code, params['system']]).toEqual(['badCertificate', expect.stringMatching(/\S/)])
  }
})

it('has no address of the loopback or of a network without a router', () => {
  for (const address of ownAddresses()) expect(address).not.toMatch(/^(?:127\.|169\.254\.)/)
})
