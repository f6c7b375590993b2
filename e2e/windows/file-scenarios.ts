import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../platform/clock.ts'
import { lookAtFolder } from '../../companion/data-folder/folder-check.ts'
import type { Failure } from '../../companion/failure.ts'
import { jsonFile } from '../../platform/json-file.ts'
import { moveFile } from '../../platform/moved-file.ts'
import { checkedPlace } from '../../companion/recordings/file-place.ts'
import { keychainService, loadKeytar, openVault } from '../../companion/secrets/keychain-vault.ts'
import { type Scenario, until } from './scenario.ts'

const openSystemVault = () =>
  openVault({
    clock: systemClock,
    load: loadKeytar,
    platform: process.platform,
    environment: process.env,
    random: randomBytes,
  })

/** What the companion's parts promise of single files, and the keychain. */
export const fileScenarios: readonly Scenario[] = [
  {
    name: 'secrets go to the credential store of Windows and back, and are gone when deleted',
    run: async () => {
      const vault = await openSystemVault()
      assert.deepEqual(vault.mode, { kind: 'keychain' })
      const [name, secret] = [
        `windows-${randomBytes(6).toString('hex')}`,
        `密 钥 "${randomBytes(12).toString('base64')}"\\`,
      ]
      await vault.set(name, secret)
      const again = await openSystemVault()
      assert.equal(await again.get(name), secret)
      assert.equal(await (await loadKeytar()).getPassword(keychainService, name), secret)
      assert.ok((await again.names()).includes(name))
      await again.delete(name)
      assert.equal(await vault.get(name), undefined)
      assert.ok(!(await vault.names()).includes(name))
    },
  },
  {
    name: 'a document is replaced as soon as a program that keeps it open lets go',
    run: async ({ folder, after }) => {
      const place = path.join(folder, 'profile.json')
      const [fresh, other] = [path.join(folder, 'fresh.bin'), path.join(folder, 'other.bin')]
      const file = jsonFile(place, (raw) => raw as { readonly count: number })
      await file.save({ count: 1 })
      writeFileSync(fresh, 'fresh')
      // SQLite opens without the right for others to delete or rename, as scanners of viruses do.
      let holders = [new DatabaseSync(place), new DatabaseSync(other)]
      const letGo = (): void => {
        for (const holder of holders) holder.close()
        holders = []
      }
      after(letGo)
      const said = (done: Promise<void>): Promise<unknown> =>
        done.then(
          () => 'done',
          (error: unknown) => error,
        )
      const saved = said(file.save({ count: 2 }))
      let refused = 0
      const counted = async (from: string, to: string): Promise<void> => {
        try {
          await rename(from, to)
        } catch (error) {
          refused++
          throw error
        }
      }
      const moved = said(moveFile(fresh, other, { rename: counted }))
      // By then the document, whose turn came first, was refused as well.
      await until('the file could not be moved several times', () => refused >= 4)
      letGo()
      assert.deepEqual(await Promise.all([saved, moved]), ['done', 'done'])
      assert.equal(readFileSync(other, 'utf8'), 'fresh')
      assert.deepEqual(await file.load(), { count: 2 })
      assert.deepEqual(readdirSync(folder), ['other.bin', 'profile.json', 'stores.json'])
    },
  },
  {
    name: 'a folder for the data is looked at without regard to case, and its name is one that Windows can keep',
    run: async ({ folder }) => {
      const home = path.join(folder, 'App')
      const present = path.join(home, 'service')
      mkdirSync(present, { recursive: true })
      const question = { present, home, usual: present, installation: 'windows' }
      const faultOf = async (chosen: string) => (await lookAtFolder(chosen, question)).fault
      assert.equal(await faultOf(present.toUpperCase()), 'same')
      assert.equal(await faultOf(`${present.toLowerCase()}\\Inner`), 'inside')
      assert.equal(await faultOf(`${home.toUpperCase()}\\other`), 'app')
      assert.equal(await faultOf('\\\\server\\share\\data'), 'network')
      assert.equal(await faultOf('Z:data'), 'relative')
      for (const name of ['NUL', 'aux.txt', 'LPT9', 'data.', 'data ', 'a:b', 'a|b'])
        assert.equal(await faultOf(path.join(folder, 'new', `${name}\\x`)), 'name', name)
      assert.deepEqual(readdirSync(folder), ['App'])
    },
  },
  {
    name: 'a recording is shown only where it lies, however its drive is written',
    run: async ({ folder }) => {
      const inner = path.join(folder, 'recordings', 'a')
      mkdirSync(inner, { recursive: true })
      writeFileSync(path.join(inner, '7.mp4'), 'x')
      writeFileSync(path.join(folder, '7.mp4'), 'x')
      const within = path.join(folder, 'recordings')
      assert.equal(await checkedPlace(within, 7, path.join(inner, '7.mp4')), path.join(inner, '7.mp4'))
      assert.equal(
        await checkedPlace(within.replace(/^C:/, 'c:'), 7, path.join(inner, '7.mp4')),
        path.join(inner, '7.mp4'),
      )
      for (const place of [
        path.join(folder, '7.mp4'),
        `${within}\\..\\7.mp4`,
        'D:\\7.mp4',
        '\\\\server\\share\\7.mp4',
        `${inner}\\7.mp4:7.mp4`,
      ])
        await assert.rejects(checkedPlace(within, 7, place), ({ data }: Failure) => data.kind === 'notOurs', place)
    },
  },
]
