import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { addMembers, nameFaults, withFolders, type Named } from './named.ts'

const source = `
export interface NewEvent { readonly inTransaction?: () => void }
export interface Derived extends NewEvent { own(): void }
/** Work within a transaction. */
export const forPage = (hub: { join(): void }) => hub.join()
`
const members = new Map<string, ReadonlySet<string>>()
addMembers(ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true), members)
const named: Named = {
  paths: withFolders(['electron/desktop.ts', 'service/ingest/rtmp-session.ts', 'renderer/testing/fake-rooms.ts']),
  words: new Set(source.match(/[\w$]+/g)),
  members,
  scripts: new Set(['check', 'bench:api']),
}
const faults = (page: string): string[] => nameFaults(page, named).map((fault) => fault.replace(/^.*named /, ''))

describe('names in documents', () => {
  it('pass where a file or a folder has them, in whole or by their end', () => {
    expect(faults('`electron/desktop.ts` `desktop.ts` `service/ingest/` `ingest/` `ingest/rtmp-session.ts`')).toEqual(
      [],
    )
  })

  it('are found where nothing has them, with their line', () => {
    expect(nameFaults('# A\n\n`presence.ts`, `service/nowhere/` and `desktop.ts`', named)).toEqual([
      '3: nothing is named presence.ts',
      '3: nothing is named service/nowhere/',
    ])
  })

  it('may have any part of a name left open', () => {
    expect(faults('`service/ingest/rtmp-*` `renderer/<folder>/fake-*.ts` `fake-*.vue` `rooms.ts`')).toEqual([
      'fake-*.vue',
      'rooms.ts',
    ])
  })

  it('of members are those of the type, though the word stands elsewhere', () => {
    expect(faults('`NewEvent.inTransaction` `Derived.inTransaction` `hub.join` `NewEvent.within`')).toEqual([
      'NewEvent.within',
    ])
  })

  it('of identifiers and scripts are known too', () => {
    expect(faults('`forPage` `forNobody` `npm run check` `npm run bench:api -- --only x` `npm run gone`')).toEqual([
      'forNobody',
      'npm run gone',
    ])
  })

  it('are not looked for in blocks of code, in the data folder, in addresses, and in plain words', () => {
    expect(
      faults('```\n`a.ts`\n```\n`DATA/files/incoming/` `out/dev` `app://` `/local/` `seats.json` `wants`'),
    ).toEqual([])
  })
})
