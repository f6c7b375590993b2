import { afterEach, beforeEach, expect, it } from 'vitest'
import { messages } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
let url: string
beforeEach(async () => {
  service = await startService()
  url = (await service.call(messages.upload, { content: Buffer.from('hello').toString('base64'), type: 'png' })).url!
})
afterEach(() => service.close())

it('serves an uploaded file to be kept for an hour by its reader alone, and with no rights as a page', async () => {
  const { status, headers } = await fetch(url)
  expect(status).toBe(200)
  expect([
    headers.get('cache-control'),
    headers.get('content-security-policy'),
    headers.get('x-content-type-options'),
    headers.get('content-disposition'),
  ]).toEqual(['private, max-age=3600', "default-src 'none'; sandbox", 'nosniff', 'inline'])
})

it('serves nothing under a name that is none, or at the api', async () => {
  const token = url.slice(-32)
  for (const wrong of [token.slice(1), `${token}A`, `${token.slice(1)}~`, token.toUpperCase() + token.toLowerCase()])
    expect((await fetch(url.slice(0, -32) + wrong)).status, wrong).toBe(404)
  const { api } = service.service.addresses
  expect((await fetch(`${api}/files/${token}`)).status).toBe(404)
})
