import { expect, it } from 'vitest'
import { bindPort } from './port-binding.ts'

/** A system that refuses some ports with a code. */
const refusing =
  (code: string, ...ports: readonly number[]) =>
  (port: number): Promise<number> =>
    ports.includes(port) ? Promise.reject(Object.assign(new Error(code), { code })) : Promise.resolve(port)

it('passes over a port that Windows keeps for itself, which it says with EACCES', async () => {
  expect(await bindPort(refusing('EACCES', 1935, 1936), 1935, [], 'win32')).toMatchObject({ wanted: 1935, used: 1937 })
  await expect(bindPort(refusing('EACCES', 80), 80, [], 'linux')).rejects.toMatchObject({ code: 'EACCES' })
})

it('passes over taken ports, and over those that other listeners will want', async () => {
  expect(await bindPort(refusing('EADDRINUSE', 8710), 8710, [8710, 8711, 1935])).toMatchObject({
    wanted: 8710,
    used: 8712,
  })
  await expect(bindPort(refusing('EMFILE', 8710), 8710, [])).rejects.toMatchObject({ code: 'EMFILE' })
})
