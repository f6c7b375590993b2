import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
/** Where a server may be made, and what bounds it. Everything else goes through the first. */
const allowed: Readonly<Record<string, { readonly because: string; readonly shows: RegExp }>> = {
  'platform/bounded-listener.ts': { because: 'it is what bounds HTTP listeners', shows: /createConnectionPlaces/ },
  'service/ingest/rtmp-server.ts': {
    because: 'RTMP counts places by what a connection is',
    shows: /createConnectionPlaces/,
  },
  'companion/instance/instance.ts': {
    because: 'a local socket in a folder of the user alone, 8 connections of 2 s',
    shows: /maxConnections = 8/,
  },
  'service/reach/nat-pmp.ts': {
    because: 'a datagram socket that hears the router alone, while it is asked',
    shows: /socket\.connect\(port, router/,
  },
  'service/reach/upnp.ts': {
    because: 'datagram sockets for a search, with a bound of the devices and bytes that are taken',
    shows: /others\.length < maxOthers/,
  },
  'companion/this-computer/port-check.ts': { because: 'it is closed as soon as it listens', shows: /server\.close/ },
}
const files = globSync('{contract,platform,service,companion,electron,browser}/**/*.ts', { cwd: root })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !/\.test\.ts$|\/testing\/|-test-server\.ts$/.test(file))

/** Calls and constructions of a file that make something that listens: each as it is written. */
function makersIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = node.expression.getText().split('.').at(-1) ?? ''
      const isServer =
        /^create(Secure)?Server$/.test(name) ||
        (ts.isNewExpression(node) && /^(Http2?s?|Tls|Net|WebSocket)?Server$/.test(name))
      // One without a listener of its own takes connections of another server.
      const isWithoutListener =
        name === 'WebSocketServer' && node.arguments?.[0]?.getText().includes('noServer: true') === true
      if ((isServer && !isWithoutListener) || name === 'createSocket') found.push(node.expression.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

it('makes no listener of the product without a limit of its connections', () => {
  const makers = files.filter((file) => makersIn(file).length > 0)
  expect(makers.sort()).toEqual(Object.keys(allowed).sort())
  for (const [file, { shows }] of Object.entries(allowed))
    expect(readFileSync(path.join(root, file), 'utf8')).toMatch(shows)
})

it('finds a listener however it is made', () => {
  expect(makersIn('service/recording/testing/clock-push.ts')).toEqual(['createServer'])
  expect(makersIn('companion/obs/testing/obs-double.ts')).toEqual(['WebSocketServer'])
  expect(makersIn('companion/remote-rooms/testing/hostile-host.ts')).toEqual(['https.createServer'])
})
