import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import FirstRun from './first-run.vue'
import { spoken } from '../../format/languages.ts'
import { channelsWords } from './words.ts'

const channelsEn = spoken(channelsWords, 'en')

const { first: words } = channelsEn
const chatOn = () => ({ on: true, roomid: 7, people: 0 })
const show = (options: MountOptions = {}) => mounted(FirstRun, { path: '/channels', ...options })
const check = (text: string) => page.getByRole('listitem').filter({ hasText: text })

describe('the page before the first channel', () => {
  it('says where the service listens and how much the disk holds', async () => {
    await show()
    await expect.element(page.getByText(words.lead)).toBeVisible()
    await expect.element(check(words.ingest)).toMatchTextContent('127.0.0.1:1935')
    await expect.element(check(words.media)).toMatchTextContent('127.0.0.1:8711')
    await expect.element(check(words.disk)).toMatchTextContent('412 GB free')
  })

  it('says that the service does not run yet', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(page.getByText(words.leadDown)).toBeVisible()
    await expect.element(check(words.ingest)).toMatchTextContent(words.notYet)
    await expect.element(check(words.media)).toMatchTextContent(words.notYet)
  })

  it('leads to a hosted service, and no more where one is used, whose host is named', async () => {
    await show({ profile: 'hosted-1' })
    await expect.element(page.getByText(words.leadHosted.replace('{host}', 'live.example.com'))).toBeVisible()
    await expect.element(check(words.signed)).toMatchTextContent('live.example.com')
    expect(page.getByRole('link', { name: words.hosted }).query()).toBeNull()
  })

  it('has the link to a hosted service', async () => {
    const { router } = await show()
    await page.getByRole('link', { name: words.hosted }).click()
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/settings/profiles?add=1')
  })

  it('makes the first channel with Enter, and opens it in the Studio', async () => {
    const one = channel(1)
    const { client, router } = await show({
      answers: { 'channels.create': () => ({ cid: one.cid, recording: 'on' }), 'rooms.switchChat': chatOn },
    })
    await expect.element(page.getByRole('textbox')).toHaveAttribute('placeholder', words.exampleName)
    await page.getByRole('textbox').fill('First')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
    expect(client.inputs('channels.create')).toEqual([{ profileId: 'local', name: 'First', record: true }])
    expect(client.inputs('rooms.switchChat')).toEqual([{ profileId: 'local', cid: one.cid, on: true }])
  })

  it('says that a name is needed, only once the channel is to be made', async () => {
    const { client } = await show()
    expect(page.getByText(channelsEn.name.empty).query()).toBeNull()
    await page.getByRole('button', { name: new RegExp(`^${channelsEn.create.title}`) }).click()
    await expect.element(page.getByText(channelsEn.name.empty)).toBeVisible()
    expect(client.inputs('channels.create')).toEqual([])
  })
})
