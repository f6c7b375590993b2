import { readFileSync } from 'node:fs'
import path from 'node:path'
import { billOf, type LockedPackages, type ShippedPackage } from './packaging/bill.ts'

/** Prints what is inside of a release as CycloneDX, from the lock and from what `npm run build` wrote. */
const root = path.dirname(import.meta.dirname)
const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as T
const { packages } = read<{ packages: ShippedPackage[] }>('out/renderer/licences.json')
const { packages: locked } = read<{ packages: LockedPackages }>('package-lock.json')
process.stdout.write(`${JSON.stringify(billOf(read<{ name: string; version: string }>('package.json'), packages, locked), null, 2)}\n`)
