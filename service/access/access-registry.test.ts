import { expect, it } from 'vitest'
import { createAccessRegistry } from './access-registry.ts'
import type { AccessEdit, LinkRow } from './access-store.ts'

const cid = 'a'.repeat(32)
const row: LinkRow = {
  linkId: 1,
  cid,
  name: 'Mum',
  created: 5,
  expires: null,
  maxViewers: null,
  lastUsed: null,
  lastUsedBy: null,
  revoked: null,
  ended: null,
}
const edits: readonly AccessEdit[] = [
  { kind: 'rules', cid, values: { mode: 'passphrase', passphrase: '00:00', generation: 1 } },
  { kind: 'rules', cid, values: { closed: 1 } },
  { kind: 'addLink', cid, row },
  { kind: 'useLink', cid, linkId: 1, at: 7, by: 'vlc' },
  { kind: 'changeLink', cid, linkId: 1, values: { revoked: 8, ended: 2 } },
  { kind: 'removeLink', cid, linkId: 1 },
  { kind: 'forget', cid },
]

it('is the same where changes are made from their JSON, and again by who has loaded what they made', () => {
  const registry = createAccessRegistry({ rows: [], links: [] })
  const state = (of: typeof registry) => ({ row: of.row(cid), links: of.links(cid), has: of.has(cid) })
  const states = edits.map((edit) => {
    expect(registry.apply(edit), edit.kind).toBe(true)
    return state(registry)
  })
  for (const [index, { row: rules, links, has }] of states.entries()) {
    const loaded = createAccessRegistry({ rows: has ? [rules] : [], links })
    expect(loaded.apply(JSON.parse(JSON.stringify(edits[index])) as AccessEdit), edits[index]!.kind).toBe(false)
    expect(state(loaded)).toEqual(states[index])
  }
})

it('a use that was stored before a later one here does not set it back', () => {
  const registry = createAccessRegistry({ rows: [], links: [{ ...row, lastUsed: 9, lastUsedBy: 'web' }] })
  expect(registry.apply({ kind: 'useLink', cid, linkId: 1, at: 7, by: 'vlc' })).toBe(false)
  expect(registry.link(cid, 1)).toMatchObject({ lastUsed: 9, lastUsedBy: 'web' })
})
