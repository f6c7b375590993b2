import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { spoken } from '../../renderer/format/languages.ts'
import { allWords } from '../../renderer/locales/messages.ts'
import { returnsWithin } from '../../service/delay/hand-holds.ts'
import { codeBlocks, headings, readPages, root, targets } from './pages.ts'

const guide = { en: readPages('docs/guide/en/*.md'), zh: readPages('docs/guide/zh/*.md') }
const names = (language: 'en' | 'zh'): string[] => guide[language].map(({ file }) => path.posix.basename(file))
const pairs = guide.en.map((page) => ({
  name: path.posix.basename(page.file),
  en: page,
  zh: guide.zh.find(({ file }) => path.posix.basename(file) === path.posix.basename(page.file)),
}))

it('has the same pages in both languages, with the same headings, pictures, tables and code', () => {
  expect(names('zh')).toEqual(names('en'))
  expect(names('en').length).toBeGreaterThan(5)
  for (const { name, en, zh } of pairs) {
    if (!zh) throw new Error(name)
    expect(
      headings(zh).map(({ depth }) => depth),
      name,
    ).toEqual(headings(en).map(({ depth }) => depth))
    const pictures = (page: typeof en, language: string): string[] =>
      targets(page).flatMap(({ file }) => (file.endsWith('.webp') ? [file.replace(`-${language}.webp`, '')] : []))
    expect(pictures(zh, 'zh'), name).toEqual(pictures(en, 'en'))
    const rows = ({ prose }: typeof en): number => prose.split('\n').filter((line) => line.startsWith('|')).length
    expect(rows(zh), name).toBe(rows(en))
    expect(codeBlocks(zh), name).toEqual(codeBlocks(en))
  }
})

it('links to files, pictures and headings that are there, in the guide, the read-me and every document', () => {
  const pages = [...readPages('README.md'), ...readPages('docs/**/*.md')]
  const anchor = (title: string): string =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-')
  const faults = pages.flatMap((page) =>
    targets(page).flatMap(({ file, fragment }) => {
      if (!existsSync(path.join(root, file))) return [`${page.file}: ${file} is not there`]
      const aim = fragment === '' ? undefined : pages.find((each) => each.file === file)
      return aim && !headings(aim).some(({ title }) => anchor(title) === fragment)
        ? [`${page.file}: ${file} has no heading #${fragment}`]
        : []
    }),
  )
  expect(faults).toEqual([])
})

it('calls everything in bold as it stands on the screen', () => {
  const unknown: string[] = []
  for (const language of ['en', 'zh'] as const) {
    const said: string[] = []
    const collect = (from: object): void => {
      for (const value of Object.values(from)) {
        if (typeof value === 'string') said.push(...value.split(' | '))
        else if (typeof value === 'object' && value !== null) collect(value)
      }
    }
    collect(spoken(allWords, language))
    // A figure stands where a text has a gap.
    const forms = said.map(
      (text) =>
        new RegExp(
          `^${text
            .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
            .replaceAll(/\{'(.)'\}/g, '$1')
            .replaceAll(/\{\w+\}/g, '\\d+')}$`,
        ),
    )
    const known = new Set(said)
    for (const { file, prose } of guide[language])
      for (const [, bold = ''] of prose.matchAll(/\*\*([^*]+)\*\*/g)) {
        // What begins a paragraph or an item is a heading of its own.
        const isLead =
          new RegExp(`^(?:- )?\\*\\*${bold.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\*\\*`, 'm').test(prose) &&
          /[.。]$/.test(bold)
        if (!isLead && !known.has(bold) && !forms.some((form) => form.test(bold))) unknown.push(`${file}: ${bold}`)
      }
  }
  expect(unknown).toEqual([])
})

it('says how long a hold by hand waits for an encoder that was lost, as it does', () => {
  const minutes = returnsWithin / 60_000
  const said = { en: `within ${minutes} minutes (longer by`, zh: `在 ${minutes} 分钟内（再加上` }
  for (const language of ['en', 'zh'] as const)
    expect(guide[language].find(({ file }) => file.endsWith('/targets.md'))?.prose).toContain(said[language])
})
