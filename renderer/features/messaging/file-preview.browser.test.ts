import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, settled, type MountOptions } from '../../testing/mounted.ts'
import FilePreview from './file-preview.vue'
import type { AttachedFile } from './conversation.ts'

const own = 'http://127.0.0.1:8711/files/one'
/** A picture of one pixel, so that it can be shown. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
/** A sound of one sample, which a video element plays too. */
const sound = 'data:audio/wav;base64,UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=='
const show = async (change: Partial<AttachedFile> = {}, options: MountOptions = {}) => {
  const file = ref<AttachedFile>({ kind: 'image', name: 'cat.gif', url: own, size: 1, ...change })
  const shown = await mounted(
    { render: () => h(FilePreview, { file: file.value }) },
    { ...options, answers: { 'messaging.media': () => ({ path: pixel }), ...options.answers } },
  )
  return { ...shown, file }
}
const media = () => document.querySelector<HTMLElement>('#app :is(img, audio, video)')

describe('the preview of a file', () => {
  it.each([
    ['image', 'IMG', pixel],
    ['voice', 'AUDIO', sound],
    ['video', 'VIDEO', sound],
  ] as const)('is that of its kind, by the way that the app gives: %s', async (kind, tag, path) => {
    const { client } = await show({ kind }, { answers: { 'messaging.media': () => ({ path }) } })
    await expect.poll(() => media()?.tagName).toBe(tag)
    expect(client.inputs('messaging.media')).toEqual([{ profileId: 'local', url: own }])
    expect(media()?.getAttribute('src')).toBe(path)
    expect(media()?.getAttribute(kind === 'image' ? 'alt' : 'aria-label')).toBe('cat.gif')
    if (kind !== 'image') expect(media()?.hasAttribute('controls')).toBe(true)
  })

  it.each([
    ['another server', { url: 'http://evil.example/files/one' }],
    ['another folder of the service', { url: 'http://127.0.0.1:8711/live/one' }],
    ['a server whose name begins alike', { url: 'http://127.0.0.1:87111/files/one' }],
    ['no address', { url: null }],
    ['a file without a picture', { kind: 'file' }],
  ] as const)('is not asked for: %s', async (_case, change) => {
    const { client } = await show(change)
    expect([client.inputs('messaging.media'), media()]).toEqual([[], null])
  })

  it('is not asked for of a hosted service', async () => {
    const { client } = await show({}, { profile: 'hosted-1' })
    expect([client.inputs('messaging.media'), media()]).toEqual([[], null])
  })

  it('is asked for by the public address of the service too', async () => {
    const service = makeService(began, 'full')
    const url = 'https://stage.example/files/one'
    const { client } = await show(
      { url },
      {
        events: [
          {
            type: 'service',
            service: { ...service, addresses: { ...service.addresses!, publicMedia: 'https://stage.example' } },
          },
        ],
      },
    )
    await expect.poll(() => client.inputs('messaging.media')).toEqual([{ profileId: 'local', url }])
    await expect.poll(() => media()?.tagName).toBe('IMG')
  })

  it('is not there where the file could not be opened, or is not what it says', async () => {
    const { client, file } = await show(
      {},
      {
        answers: {
          'messaging.media': () => {
            throw failed()
          },
        },
      },
    )
    expect([client.inputs('messaging.media').length, media()]).toEqual([1, null])
    client.answer({ 'messaging.media': () => ({ path: 'data:image/gif;base64,AAAA' }) })
    file.value = { ...file.value, url: `${own}-2` }
    await expect.poll(() => client.inputs('messaging.media').length).toBe(2)
    await expect.poll(media).toBeNull()
    expect(page.getByRole('img').query()).toBeNull()
  })

  it('is that of the file that is shown, not a late one of the file before', async () => {
    const answers: ((answer: { path: string }) => void)[] = []
    const { client, file } = await show(
      {},
      { answers: { 'messaging.media': () => new Promise((resolve) => answers.push(resolve)) } },
    )
    await expect.poll(() => answers.length).toBe(1)
    file.value = { ...file.value, url: `${own}-2` }
    await expect.poll(() => answers.length).toBe(2)
    answers[0]?.({ path: pixel })
    await settled()
    expect(media()).toBeNull()
    answers[1]?.({ path: pixel })
    await expect.poll(() => media()?.tagName).toBe('IMG')
    expect(client.inputs('messaging.media').map(({ url }) => url)).toEqual([own, `${own}-2`])
  })
})
