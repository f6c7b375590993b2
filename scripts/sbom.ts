import { readFileSync } from 'node:fs'
import path from 'node:path'
import { billOf, type LockedPackages, type ShippedPackage } from './packaging/sbom.ts'

/** Prints what is inside of a release as CycloneDX, from the lock and from what `npm run build` wrote. */
const root = path.dirname(import.meta.dirname)
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const { packages } = read('out/renderer/licences.json') as { packages: ShippedPackage[] }
const { packages: locked } = read('package-lock.json') as { packages: LockedPackages }
process.stdout.write(
  `${JSON.stringify(billOf(read('package.json') as { name: string; version: string }, packages, locked), null, 2)}\n`,
)
