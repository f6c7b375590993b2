import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it.each(['checks', 'security'])('the page of %s names tests that are there', (name) => {
  const page = readFileSync(`${root}docs/${name}.md`, 'utf8')
  const commands = Object.keys(
    (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }).scripts,
  )
  const missing: string[] = []
  // A file, and on the page of checks in brackets the words of its tests, with commas between.
  for (const [, file = '', words = ''] of page.matchAll(/`([a-z0-9-]+\/[^` ]+\.ts)`(?: \(([^)]*)\))?/g)) {
    if (!existsSync(root + file)) {
      missing.push(file)
      continue
    }
    if (name !== 'checks' || words === '') continue
    const source = readFileSync(root + file, 'utf8')
    // Words may have commas of their own.
    if (!source.includes(words))
      for (const each of words.split(', ')) if (!source.includes(each)) missing.push(`${file}: ${each}`)
  }
  for (const [, command = ''] of page.matchAll(/`npm run ([a-z:]+)/g))
    if (!commands.includes(command)) missing.push(command)
  expect(missing).toEqual([])
})
