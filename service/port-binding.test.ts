import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { listenOn } from '../platform/listen.ts'
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

it('tries 50 ports beyond the one that is wanted, and none beyond 65535', async () => {
  const tried: number[] = []
  const taken = (port: number): Promise<number> => {
    tried.push(port)
    return Promise.reject(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }))
  }
  await expect(bindPort(taken, 8710, [])).rejects.toThrow('the ports 8710 to 8760 are taken; choose another one')
  expect([tried.length, tried.at(-1)]).toEqual([51, 8760])
  tried.length = 0
  await expect(bindPort(taken, 65_530, [])).rejects.toThrow('the ports 65530 to 65535 are taken')
  expect(tried.at(-1)).toBe(65_535)
})

it('does not move a port that must stay, and says so', async () => {
  await expect(bindPort(refusing('EADDRINUSE', 1), 1, [], 'linux', 'api')).rejects.toThrow(
    'port 1 (--api-port) is taken by another program: end that, or name another port',
  )
  expect(await bindPort(refusing('EADDRINUSE', 1), 2, [], 'linux', 'media')).toMatchObject({ used: 2 })
})

it('names who holds the port that was wanted, and nobody where it was free', async () => {
  const holder = createServer()
  const port = await listenOn(holder, '127.0.0.1', 0)
  try {
    const binding = await bindPort(refusing('EADDRINUSE', port), port, [])
    expect(binding.used).toBe(port + 1)
    if (process.platform === 'linux') expect(binding.holder).toContain(`(process ${process.pid})`)
    expect(await bindPort(refusing('EADDRINUSE'), port, [])).toEqual({ wanted: port, used: port })
  } finally {
    holder.close()
  }
})

it('takes any free port where 0 is wanted, and says which it is', async () => {
  expect(await bindPort((port) => Promise.resolve(port === 0 ? 50_000 : port), 0, [0, 8711])).toEqual({
    wanted: 0,
    used: 50_000,
  })
})

it('takes the port that it wants though others of them are reserved with it', async () => {
  expect(await bindPort(refusing('EADDRINUSE'), 8711, [8710, 8711, 1935])).toEqual({ wanted: 8711, used: 8711 })
})

it('fails at once with what is not a taken port, also for one further on', async () => {
  const tried: number[] = []
  const listen = (port: number): Promise<number> => {
    tried.push(port)
    return Promise.reject(Object.assign(new Error('x'), { code: port === 8710 ? 'EADDRINUSE' : 'EACCES' }))
  }
  await expect(bindPort(listen, 8710, [], 'linux')).rejects.toMatchObject({ code: 'EACCES' })
  expect(tried).toEqual([8710, 8711])
})
