import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { live, local, recordings } from '../contract/operations/index.ts'
import { encodeFixture } from './hub/testing/fixture.ts'
import { selfSigned } from './reach/testing/certificates.ts'
import { startNginxTarget } from './targets/testing/nginx-target.ts'
import { until } from './testing/condition.ts'
import { startPublisher } from './testing/publisher.ts'
import { startServiceProcess } from './testing/service-process.ts'
import { signedClient } from './testing/signed-client.ts'

const own = 'NODE_EXTRA_CA_CERTS in the environment of the service names an authority of its own'

it('copies, callbacks and targets take an authority of the environment, and say where it belongs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-authority-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const nginx = await startNginxTarget()
  onTestFinished(() => nginx.stop())
  // OpenSSL finds an authority by its name: that of nginx is "localhost".
  const { cert, key } = await selfSigned(['receiver', 'localhost'])
  const bodies: Record<string, unknown>[] = []
  const receiver = createServer({ cert, key }, (request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      bodies.push(JSON.parse(body) as Record<string, unknown>)
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const url = `https://localhost:${(receiver.address() as AddressInfo).port}/`
  const file = await encodeFixture(folder, 'push', { duration: 6, gop: 30 })
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(authorities, `${cert}\n${nginx.ca}\n`)

  const credentials = { appKey: 'my-app', appSecret: 'choose-a-long-one' }
  const start = async (more: Record<string, string>) => {
    const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const environment = { SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret, ...more }
    const one = startServiceProcess(['--data', join(folder, 'data'), ...ports], environment)
    onTestFinished(() => void one.child.kill('SIGKILL'))
    return { one, call: signedClient((await one.ready).baseUrl, credentials).call }
  }
  const strict = await start({})
  const refused = await strict.call(local.setCopyTarget, { url })
  expect(refused.code).not.toBe(200)
  expect(refused.msg).toContain(`the certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT); ${own}`)
  strict.one.child.kill('SIGTERM')
  await strict.one.exited
  expect(bodies).toEqual([])

  const { one, call } = await start({ NODE_EXTRA_CA_CERTS: authorities })
  expect(await call(local.setCopyTarget, { url })).toMatchObject({ code: 200 })
  expect(bodies).toEqual([{}])
  await call(recordings.setCallback, { recordClk: url })
  const { cid, pushUrl } = (await call(live.create, { name: 'harbour' })).ret!
  await call(recordings.setAlwaysRecord, { cid, needRecord: 1 })
  await call(local.addTarget, { cid, name: 'there', url: nginx.rtmpsUrl, key: 'some-key', start: 'push' })
  const publisher = startPublisher(pushUrl, file)
  await until(
    'the target gets the push',
    async () => (await call(local.targets, { cid })).ret!.list[0]!.state === 'sending',
  )
  await publisher.stop()
  const called = await until('the callback', () => bodies.find(({ nId }) => nId !== undefined))
  expect(called).toMatchObject({ cid })
  one.child.kill('SIGTERM')
  expect(await one.exited).toBe(0)
}, 120_000)
