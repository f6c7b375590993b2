import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import type { FolderPlan, FolderUse, ThisComputer } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import { reasonWords } from '../frame/words-reason.ts'
import FolderCard from './folder-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const reasonEn = spoken(reasonWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { folder: words } = computerEn.computer
const usual = makeComputer('full', began)
const computer = ({ folder, ...change }: Partial<Omit<ThisComputer, 'folder'>> & { folder?: object } = {}) => ({
  type: 'computer' as const,
  computer: { ...usual, ...change, folder: { ...usual.folder, ...folder } },
})
const use: FolderUse = {
  recordings: { bytes: 38.2e9, files: 1_214 },
  databases: { bytes: 46e6, files: 1 },
  files: { bytes: 0, files: 0 },
  other: { bytes: 0, files: 0 },
  free: 412e9,
  total: 1e12,
}
const plan = (change: Partial<FolderPlan> = {}): FolderPlan => ({
  handle: 'h',
  path: '/media/<b>/Sidestage',
  fault: null,
  need: 39.4e9,
  free: 812e9,
  spare: 1e9,
  detail: null,
  ...change,
})
/** The card of what the app tells of this computer. */
const Card = {
  setup: () => {
    const companion = useCompanion()
    return () => companion.computer && h(FolderCard, { computer: companion.computer })
  },
}
const show = (told = computer(), options: Parameters<typeof mounted>[1] = {}) =>
  mounted(Card, {
    path: '/settings/computer',
    ...options,
    events: [told],
    answers: { 'computer.folderUse': () => use, ...options.answers },
  })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const refused = () => {
  throw failed({ kind: 'full' })
}

describe('the data folder', () => {
  it('is named, with what each kind takes of its disk', async () => {
    const { client } = await show()
    await expect.element(page.getByText(usual.folder.path)).toBeVisible()
    await expect.element(page.getByRole('img', { name: '412 GB of 1.00 TB free on this disk' })).toBeVisible()
    await expect.element(page.getByText('38.2 GB, 1,214 files')).toBeVisible()
    await expect.element(page.getByText('46.0 MB, 1 file')).toBeVisible()
    expect(client.inputs('computer.folderUse').length).toBe(1)
  })

  it('says why it could not be measured', async () => {
    await show(computer(), { answers: { 'computer.folderUse': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(button(words.move)).toBeVisible()
  })

  it('is shown in the file manager where the window can', async () => {
    const { client } = await show(computer(), {
      about: { capabilities: ['showInFolder'] },
      answers: { 'computer.showFolder': () => undefined },
    })
    await button(words.open).click()
    await expect.poll(() => client.inputs('computer.showFolder').length).toBe(1)
  })

  it('has no button for that in a browser', async () => {
    await show()
    await expect.element(button(words.move)).toBeVisible()
    expect(button(words.open).query()).toBeNull()
  })

  it('named on the command line is not moved here', async () => {
    await show(computer({ folder: { named: true } }))
    await expect.element(page.getByText(words.named)).toBeVisible()
    expect(button(words.move).query()).toBeNull()
  })

  it('has its words in Chinese', async () => {
    await show(computer(), { language: 'zh' })
    const { folder: zh } = computerZh.computer
    await expect.element(page.getByRole('group', { name: zh.title })).toBeVisible()
    await expect.element(button(zh.move)).toBeVisible()
  })
})

describe('a data folder that is not there', () => {
  const away = computer({ folder: { present: false, path: '/media/ana/Stage 2' } })

  it('is looked for again by the button, and nothing of it is measured', async () => {
    const { client } = await show(away, { answers: { 'app.restartService': () => undefined } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.away)
    await button(en.word.retry).click()
    await expect.poll(() => client.inputs('app.restartService').length).toBe(1)
    expect(client.inputs('computer.folderUse')).toEqual([])
  })

  it('is left for the usual one only after a question', async () => {
    const { client } = await show(away, { answers: { 'computer.useUsualFolder': () => ({ done: true }) } })
    await button(words.usual).click()
    await expect.element(dialog()).toMatchTextContent(words.usualTitle.replace('{path}', usual.folder.usual))
    await expect.element(dialog()).toMatchTextContent('/media/ana/Stage 2')
    expect(client.inputs('computer.useUsualFolder')).toEqual([])
    await dialog().getByRole('button', { name: words.usualNow }).click()
    await expect.poll(() => client.inputs('computer.useUsualFolder').length).toBe(1)
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('keeps the question open with the reason when that was refused', async () => {
    await show(away, { answers: { 'computer.useUsualFolder': refused } })
    await button(words.usual).click()
    await dialog().getByRole('button', { name: words.usualNow }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
  })
})

describe('the move of the data folder', () => {
  const typed = () => page.getByRole('textbox', { name: words.typed })
  const begin = () => dialog().getByRole('button', { name: words.begin })

  it('is planned for a folder that is typed, and begun with it, once', async () => {
    const gate = Promise.withResolvers<{ begun: boolean; refused: null }>()
    const { client } = await show(computer(), {
      answers: { 'computer.typeFolder': () => plan(), 'computer.moveFolder': () => gate.promise },
    })
    await button(words.move).click()
    await expect.element(typed()).toHaveFocus()
    await expect.element(begin()).toHaveAttribute('aria-disabled', 'true')
    await typed().fill(' /media/<b> ')
    await userEvent.keyboard('{Enter}')
    await expect
      .element(dialog().getByRole('status'))
      .toMatchTextContent('39.4 GB are copied to /media/<b>/Sidestage. 812 GB are free there.')
    expect(client.inputs('computer.typeFolder')).toEqual([{ path: '/media/<b>' }])
    await begin().click()
    await begin().click({ force: true })
    gate.resolve({ begun: true, refused: null })
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.moveFolder')).toEqual([{ handle: 'h' }])
  })

  it('is not planned without a path', async () => {
    const { client } = await show()
    await button(words.move).click()
    await dialog().getByRole('button', { name: words.look }).click()
    await expect.element(page.getByText(words.typedFault)).toBeVisible()
    expect(client.inputs('computer.typeFolder')).toEqual([])
  })

  it.each(['network', 'same', 'inside', 'data', 'refused'] as const)(
    'is not begun for a folder that it cannot go to: %s',
    async (fault) => {
      const { client } = await show(computer(), {
        answers: { 'computer.typeFolder': () => plan({ handle: null, fault }) },
      })
      await button(words.move).click()
      await typed().fill('/mnt/nas')
      await userEvent.keyboard('{Enter}')
      await expect.element(dialog().getByRole('alert')).toMatchTextContent(words.fault[fault])
      await begin().click({ force: true })
      expect(client.inputs('computer.moveFolder')).toEqual([])
    },
  )

  it('forgets the plan as soon as another folder is typed', async () => {
    const { client } = await show(computer(), { answers: { 'computer.typeFolder': () => plan() } })
    await button(words.move).click()
    await typed().fill('/media')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog().getByRole('status')).toBeVisible()
    await typed().fill('/media/other')
    await expect.element(dialog().getByRole('status')).not.toBeInTheDocument()
    await begin().click({ force: true })
    expect(client.inputs('computer.moveFolder')).toEqual([])
  })

  it('is planned for a folder of the system’s dialog where there is one', async () => {
    const { client } = await show(computer(), {
      about: { capabilities: ['chooseFolder'] },
      answers: { 'computer.chooseFolder': () => plan() },
    })
    await button(words.move).click()
    expect(typed().query()).toBeNull()
    await dialog().getByRole('button', { name: words.choose }).click()
    await expect.element(dialog().getByRole('status')).toMatchTextContent('/media/<b>/Sidestage')
    expect(client.inputs('computer.chooseFolder').length).toBe(1)
  })

  it.each(['onAir', 'recording', 'merging', 'moving', 'old', 'unknown'] as const)(
    'that is refused now says why, and the dialog stays: %s',
    async (reason) => {
      await show(computer(), {
        answers: {
          'computer.typeFolder': () => plan(),
          'computer.moveFolder': () => ({ begun: false, refused: reason }),
        },
      })
      await button(words.move).click()
      await typed().fill('/media')
      await userEvent.keyboard('{Enter}')
      await begin().click()
      await expect.element(dialog().getByRole('alert')).toMatchTextContent(words.refused[reason])
    },
  )

  it('is told as far as it is, and called off, once', async () => {
    const gate = Promise.withResolvers<{ done: boolean }>()
    const { client, tell } = await show(
      computer({ move: { phase: 'copying', to: '/media/2', bytes: 25e9, total: 100e9 } }),
      { answers: { 'computer.cancelMove': () => gate.promise } },
    )
    const bar = page.getByRole('progressbar', { name: words.phase.copying })
    await expect.element(bar).toHaveAttribute('aria-valuenow', '25')
    await expect.element(page.getByText('25.0 GB of 100 GB · 25 %')).toBeVisible()
    await button(words.cancel).click()
    await button(words.cancel).click({ force: true })
    gate.resolve({ done: true })
    await expect.poll(() => client.inputs('computer.cancelMove').length).toBe(1)
    await tell(computer({ move: { phase: 'switching', to: '/media/2', bytes: 1, total: 1 } }))
    await expect.element(button(words.cancel)).not.toBeInTheDocument()
  })

  it.each([
    ['moved', null, words.outcome.moved],
    ['cancelled', null, words.outcome.cancelled],
    ['interrupted', null, words.outcome.interrupted],
    ['failed', 'space', words.outcome.failed],
  ] as const)('says what came of it: %s', async (outcome, reason, says) => {
    await show(computer({ moved: { outcome, to: '/media/<2>', reason: reason && { code: reason, params: {} } } }))
    await expect.element(page.getByRole('status')).toMatchTextContent(says.replace('{path}', '/media/<2>'))
    if (reason) await expect.element(page.getByRole('status')).toMatchTextContent(reasonEn.reason.move[reason])
  })
})

describe('the copy that a move left', () => {
  const left = computer({ folder: { old: { path: '/old/<folder>', at: began } } })

  it('is deleted only after a question', async () => {
    const { client } = await show(left, { answers: { 'computer.removeOldCopy': () => ({ done: true }) } })
    await button(words.removeOld).click()
    await expect.element(dialog()).toMatchTextContent('/old/<folder>')
    expect(client.inputs('computer.removeOldCopy')).toEqual([])
    await dialog().getByRole('button', { name: words.removeOld }).click()
    await expect.poll(() => client.inputs('computer.removeOldCopy')).toEqual([{ keep: false }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('is kept by the other button', async () => {
    const { client } = await show(left, { answers: { 'computer.removeOldCopy': () => ({ done: true }) } })
    await button(words.keepOld).click()
    await expect.poll(() => client.inputs('computer.removeOldCopy')).toEqual([{ keep: true }])
    expect(dialog().query()).toBeNull()
  })

  it('stays when the question is cancelled', async () => {
    const { client } = await show(left)
    await button(words.removeOld).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.removeOldCopy')).toEqual([])
  })
})

describe('the bar of the disk', () => {
  const widths = () => [...page.getByRole('img').element().children].map((part) => (part as HTMLElement).style.width)

  it('has each kind by its share, a small one so that it can be seen, and what else lies on the disk', async () => {
    await show(computer(), {
      answers: {
        'computer.folderUse': () => ({
          ...use,
          recordings: { bytes: 250e9, files: 3 },
          databases: { bytes: 1, files: 1 },
          free: 500e9,
        }),
      },
    })
    await expect.element(page.getByRole('img', { name: '500 GB of 1.00 TB free on this disk' })).toBeVisible()
    expect(widths()).toEqual(['25%', '0.6%', '0%', '0%', '25%'])
  })

  it('has nothing below zero where the disk tells more free space than there can be', async () => {
    await show(computer(), { answers: { 'computer.folderUse': () => ({ ...use, free: 1e12 }) } })
    await expect.poll(widths).toEqual(['3.82%', '0.6%', '0%', '0%', '0%'])
  })

  it('is empty with dashes until it was measured', async () => {
    const gate = Promise.withResolvers<FolderUse>()
    await show(computer(), { answers: { 'computer.folderUse': () => gate.promise } })
    await expect.element(page.getByRole('img', { name: words.measure })).toBeVisible()
    expect([widths(), page.getByText('–', { exact: true }).elements().length]).toEqual([[], 4])
    gate.resolve(use)
    await expect.poll(() => page.getByText('–', { exact: true }).elements().length).toBe(0)
  })
})

describe('the progress of a move', () => {
  it.each([
    [0, 0, 0],
    [999, 1_000, 99],
    [2_000, 1_000, 100],
  ])('is in whole per cent, at most a hundred: %i of %i is %i', async (bytes, total, percent) => {
    await show(computer({ move: { phase: 'checking', to: '/media/<b>', bytes, total } }))
    await expect
      .element(page.getByRole('progressbar', { name: words.phase.checking }))
      .toHaveAttribute('aria-valuenow', String(percent))
    await expect.element(page.getByRole('status')).toMatchTextContent('Reading back and comparing to /media/<b>')
  })

  it('stays with the reason where it could not be called off', async () => {
    await show(computer({ move: { phase: 'stopping', to: '/media/2', bytes: 0, total: 10 } }), {
      answers: { 'computer.cancelMove': refused },
    })
    await button(words.cancel).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(button(words.cancel)).toBeEnabled()
  })
})
