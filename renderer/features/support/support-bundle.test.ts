import { strFromU8, unzipSync } from 'fflate'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { SupportBundle } from '../../../contract/rpc/index.ts'
import { servicesKey, type Services } from '../../data/services.ts'
import { useSupportBundle } from './support-bundle.ts'

const bundle: SupportBundle = {
  made: Date.UTC(2026, 10, 21, 13),
  name: 'sidestage-support-20261121-130000',
  parts: [
    { about: 'app', file: 'app.json', text: '{"version":"1"}\n', removed: 1, cut: false },
    { about: 'serviceLog', file: 'service-log.txt', text: '频道 started\n', removed: 2, cut: true },
  ],
}

function rig(answer: () => Promise<SupportBundle>) {
  const app = createApp({})
  const handed: { file: Blob; name: string }[] = []
  app.provide(servicesKey, { rpc: { support: { bundle: answer } } } as unknown as Services)
  const support = app.runWithContext(() => useSupportBundle((file, name) => handed.push({ file, name })))
  return { support, handed }
}

it('saves exactly what was shown, in one ZIP with a first file that says what it is', async () => {
  const { support, handed } = rig(() => Promise.resolve(bundle))
  await support.save('too early')
  expect(handed).toEqual([])
  await support.gather()
  expect([support.removed.value, support.size.value]).toEqual([3, Buffer.byteLength('{"version":"1"}\n频道 started\n')])
  await support.save('what it is')
  const [given] = handed
  expect([given?.name, given?.file.type, support.saved.value]).toEqual([
    'sidestage-support-20261121-130000.zip',
    'application/zip',
    bundle.name,
  ])
  const files = unzipSync(new Uint8Array(await given!.file.arrayBuffer()))
  expect(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)])).toEqual([
    ['README.txt', 'what it is'],
    ['app.json', '{"version":"1"}\n'],
    ['service-log.txt', '频道 started\n'],
  ])
})

it('keeps what was gathered when it cannot be gathered anew, and says why', async () => {
  let works = true
  const { support } = rig(() => (works ? Promise.resolve(bundle) : Promise.reject(new Error('gone'))))
  await support.gather()
  works = false
  await support.gather()
  expect(support.bundle.value).toEqual(bundle)
  expect(support.failure.value?.detail).toContain('gone')
  expect(support.busy.value).toBe(false)
})
