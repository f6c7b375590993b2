import { unzipSync, strFromU8 } from 'fflate'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { SupportBundle } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import SupportPanel from './support-panel.vue'
import { spoken } from '../../format/languages.ts'
import { supportBundleWords } from './words-bundle.ts'

const supportBundleEn = spoken(supportBundleWords, 'en')

const { supportBundle: words } = supportBundleEn
const bundle: SupportBundle = {
  made: began,
  name: 'sidestage-support',
  parts: [
    { about: 'app', file: 'app.json', text: '{"version":"0.1.0"}', removed: 0, cut: false },
    { about: 'serviceLog', file: 'service.log', text: 'a line', removed: 3, cut: true },
    { about: 'obs', file: 'obs.json', text: '', removed: 0, cut: false },
  ],
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const parts = () => page.getByRole('region', { name: words.parts, exact: true })
const gathered = async (): Promise<void> => {
  await mounted(SupportPanel, { answers: { 'support.bundle': () => bundle } })
  await button(words.gather).click()
}
/** What is handed to the browser as a download, instead of it. */
const downloads = (): { readonly name: string; readonly content: Blob }[] => {
  const found: { name: string; content: Blob }[] = []
  const contents = new Map<string, Blob>()
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    const url = `blob:${contents.size}`
    contents.set(url, content as Blob)
    return url
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    found.push({ name: this.download, content: contents.get(this.href)! })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return found
}

describe('the support bundle', () => {
  it('says what goes in and what never does before anything is gathered', async () => {
    const { client } = await mounted(SupportPanel)
    await expect.element(page.getByText(words.about.serviceLog)).toBeVisible()
    await expect.element(page.getByText(words.never.secrets)).toBeVisible()
    expect(client.inputs('support.bundle')).toEqual([])
  })

  it('shows every part to be read, with what was taken out and what is cut', async () => {
    await gathered()
    await expect
      .element(
        parts()
          .getByText(/3 texts taken out/)
          .first(),
      )
      .toBeVisible()
    await expect.element(parts().getByText(words.cut)).toBeVisible()
    await expect.element(parts().getByText(words.empty)).toBeVisible()
    expect(parts().getByText('a line').query()).toBeNull()
    await parts()
      .getByRole('button', { name: /service\.log/ })
      .click()
    await expect.element(parts().getByText('a line')).toBeVisible()
    await parts()
      .getByRole('button', { name: /app\.json/ })
      .click()
    expect(parts().getByText('a line').query()).toBeNull()
  })

  it('saves exactly what is shown, with a file that says what it is', async () => {
    const files = downloads()
    await gathered()
    await button(words.save).click()
    await expect.poll(() => files.map(({ name }) => name)).toEqual(['sidestage-support.zip'])
    const read = unzipSync(new Uint8Array(await files[0]!.content.arrayBuffer()))
    expect(Object.keys(read).toSorted()).toEqual(['README.txt', 'app.json', 'obs.json', 'service.log'])
    expect(strFromU8(read['service.log']!)).toBe('a line')
    expect(strFromU8(read['README.txt']!)).toContain(words.never.push)
    await expect.element(page.getByText(words.saved.replace('{name}', 'sidestage-support'))).toBeVisible()
  })

  it('says why it could not be gathered, and can be tried again', async () => {
    const { client } = await mounted(SupportPanel, {
      answers: {
        'support.bundle': () => {
          throw failed()
        },
      },
    })
    await button(words.gather).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'support.bundle': () => bundle })
    await button(words.gather).click()
    await expect.element(parts()).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
  })
})
