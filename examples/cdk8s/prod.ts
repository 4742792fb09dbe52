import { platform } from './platform.ts';
import { PROD } from './shared/stage.ts';

export default platform(PROD);
