import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { PlaceFault } from '../place-fault.ts'
import { selfSigned } from '../reach/testing/certificates.ts'
import { openS3Blobs } from './s3-blobs.ts'

const keys = { bucket: 'live', region: 'eu-1', accessKey: 'a', secretKey: 'hidden', prefix: 'sidestage' }
const empty = '<?xml version="1.0"?><ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>'
const answering =
  (status: number, body = ''): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/xml' }).end(body)

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const plain = (listener: RequestListener): Promise<number> => portOf(createServer(listener))
const secure = async (listener: RequestListener): Promise<number> =>
  portOf(createSecureServer(await selfSigned(['127.0.0.1']), listener))

/** Tries a store once; answers with the warnings. */
async function begun(endpoint: string): Promise<string[]> {
  const warnings: string[] = []
  const log = { warn: (_about: object, sentence: string) => void warnings.push(sentence) }
  const blobs = await openS3Blobs({ ...keys, endpoint, isPathStyle: true }, { log })
  onTestFinished(() => blobs.close())
  await blobs.begun()
  return warnings
}
const fault = (words: string): PlaceFault => new PlaceFault(`SIDESTAGE_S3_ENDPOINT: ${words}`)

it('ends the start where TLS is asked of a port without it, or the other way round', async () => {
  const without = await plain(answering(200, empty))
  expect(await begun(`http://127.0.0.1:${without}`)).toEqual([])
  await expect(begun(`https://127.0.0.1:${without}`)).rejects.toThrow(
    fault('no TLS is spoken there: its address begins with http://'),
  )
  await expect(begun(`http://127.0.0.1:${await secure(answering(200, empty))}`)).rejects.toThrow(
    fault('TLS is spoken there: its address begins with https://'),
  )
})

it('ends the start where the certificate is of an unknown authority', async () => {
  const port = await secure(answering(200, empty))
  await expect(begun(`https://127.0.0.1:${port}`)).rejects.toThrow(
    /^SIDESTAGE_S3_ENDPOINT: the certificate .* \(DEPTH_ZERO_SELF_SIGNED_CERT\); NODE_EXTRA_CA_CERTS /,
  )
})

it('ends the start where the address has a path of nothing, is that of something else, or has moved', async () => {
  const missing = '<Error><Code>NoSuchKey</Code><Message>none</Message></Error>'
  const port = await plain(answering(404, missing))
  await expect(begun(`http://127.0.0.1:${port}/live`)).rejects.toThrow(
    fault(
      'nothing is at the path of that address (404): most stores have none, and SIDESTAGE_S3_BUCKET names the bucket',
    ),
  )
  for (const body of [missing, '<html>Not <br> found'])
    await expect(begun(`http://127.0.0.1:${await plain(answering(404, body))}`)).rejects.toThrow(
      fault('no object store with such a bucket is at that address (404)'),
    )
  await expect(begun(`http://127.0.0.1:${await plain(answering(301))}`)).rejects.toThrow(
    fault('what answers there is at another address now (301)'),
  )
})

it('goes on with a warning that names the variable where nobody answers, or the store is ill', async () => {
  const warned = [expect.stringMatching(/^SIDESTAGE_S3_ENDPOINT: the object store cannot be used now: /)]
  expect(await begun('http://127.0.0.1:1')).toEqual(warned)
  expect(await begun('https://127.0.0.1:1')).toEqual(warned)
  expect(await begun(`http://127.0.0.1:${await plain(answering(503))}`)).toEqual(warned)
})
