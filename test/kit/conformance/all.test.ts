import { loadTests } from '../../load-tests.ts'

await loadTests(import.meta.dirname, '!(checks|demo-merchants|probe|wrong-sites)')
