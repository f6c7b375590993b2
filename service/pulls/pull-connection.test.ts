import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { ownAuthority } from '../own-authority.ts'
import { selfSigned } from '../reach/testing/certificates.ts'
import { connectPull } from './pull-connection.ts'

it('says of a node whose certificate is of an unknown authority what names authorities', async () => {
  const server = createServer(await selfSigned(['127.0.0.1']), (_request, response) => void response.end())
  onTestFinished(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/live/x.flv`
  const fault = await new Promise((resolve) => {
    connectPull({ url, grant: 'g' }, () => 0, { packet: () => undefined, ended: resolve })
  })
  expect(fault).toBe(`the certificate of the node is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT); ${ownAuthority}`)
})
