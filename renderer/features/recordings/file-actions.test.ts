import { createPinia, setActivePinia } from 'pinia'
import { createApp, ref } from 'vue'
import { expect, it } from 'vitest'
import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useFileActions } from './file-actions.ts'
import { servicesKey } from '../../data/services.ts'

const file = { vid: 7, name: 'Late_20261121', format: 'flv' } as RecordedFile
const marker: Marker = { markerId: 3, cid: 'c', at: 1, label: '' }

function stage() {
  const calls: string[] = []
  const state = { failing: false, hold: Promise.resolve() }
  const answer =
    <T>(name: string, value: T) =>
    async (input: object): Promise<T> => {
      calls.push(`${name} ${JSON.stringify(input)}`)
      await state.hold
      if (state.failing) throw new Error('refused')
      return value
    }
  const rpc = {
    recordings: {
      ticket: answer('ticket', { path: '/media/t/7.flv' }),
      show: answer('show', undefined),
      remove: answer('remove', { removed: [7] }),
      merge: answer('merge', undefined),
      renameMarker: answer('renameMarker', undefined),
      removeMarker: answer('removeMarker', undefined),
    },
  } as unknown as RpcClient
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const selected = ref<readonly number[]>([7, 8])
  const note = (what: string) => (): Promise<void> => {
    calls.push(what)
    return Promise.resolve()
  }
  const actions = app.runWithContext(() =>
    useFileActions({
      profileId: ref('local'),
      selected,
      load: note('load'),
      look: note('look'),
      save: (path, name) => void calls.push(`save ${path} as ${name}`),
    }),
  )
  return { calls, state, selected, actions }
}

it('downloads under the file’s own name from a ticket, and shows by number, never by path', async () => {
  const { calls, actions } = stage()
  await actions.download(file)
  await actions.show(file)
  expect(calls).toEqual([
    'ticket {"profileId":"local","vid":7}',
    'save /media/t/7.flv as Late_20261121.flv',
    'show {"profileId":"local","vid":7}',
  ])
})

it('begins no download without a ticket, and says why', async () => {
  const { calls, state, actions } = stage()
  state.failing = true
  await actions.download(file)
  expect(calls).toHaveLength(1)
  expect(actions.failures.value.other).not.toBeNull()
})

it('takes files that are gone out of the merge', async () => {
  const { calls, selected, actions } = stage()
  expect(await actions.remove([file])).toBe(1)
  expect(selected.value).toEqual([8])
  expect(calls.at(-1)).toBe('load')
})

it('keeps the order of a merge that was refused, and empties it when the service took it', async () => {
  const { state, selected, actions } = stage()
  state.failing = true
  await actions.merge('x')
  expect(selected.value).toEqual([7, 8])
  expect(actions.failures.value.merge).not.toBeNull()
  state.failing = false
  await actions.merge('x')
  expect(selected.value).toEqual([])
  expect(actions.failures.value.merge).toBeNull()
})

it('asks nobody to give a marker the label that it has', async () => {
  const { actions, calls } = stage()
  expect(await actions.nameMarker(marker, marker.label)).toBe(true)
  expect(calls).toEqual([])
})

it('renames and removes a marker, one thing at a time', async () => {
  const { calls, state, actions } = stage()
  let release: () => void = () => undefined
  state.hold = new Promise((resolve) => {
    release = resolve
  })
  const first = actions.nameMarker(marker, 'Goal')
  expect(actions.busy.value).toBe('marker')
  expect(await actions.removeMarker(marker)).toBe(false)
  release()
  expect(await first).toBe(true)
  expect(calls).toEqual(['renameMarker {"profileId":"local","markerId":3,"label":"Goal"}', 'load'])
  state.failing = true
  expect(await actions.removeMarker(marker)).toBe(false)
  expect(actions.failures.value.marker).not.toBeNull()
})
